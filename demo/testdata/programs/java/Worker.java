// A worker in Java, by grpc-java and etcd.proto, on the queue that etcd's own clients make: Worker LOCK TTL
// [FORM [KEY]]. Without a form it stops when it could not renew in time, or its key is gone, and when it is
// asked to end it lets go first. The forms are those of ../sneaks; late takes a second more, since this one
// counts its lease from when it asked.
import com.google.protobuf.ByteString;
import etcd.*;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

public class Worker {
  static volatile boolean stopping;
  static String lock, form, key;
  static int ttl;
  static ManagedChannel channel;
  static boolean said;

  volatile boolean gone;
  volatile long deadline; // by our own clock the lease lasts until then at least
  long lease;

  public static void main(String[] args) throws Exception {
    lock = args[0];
    ttl = Integer.parseInt(args[1]);
    form = args.length > 2 ? args[2] : "";
    key = args.length > 3 ? args[3] : "";
    String[] at = System.getenv("ETCD_ENDPOINTS").split(",")[0].split(":");
    channel = NettyChannelBuilder.forAddress(at[0], Integer.parseInt(at[1])).usePlaintext().build();
    if (form.equals("write")) writeOn(); // what child starts
    Thread main = Thread.currentThread();
    Runtime.getRuntime().addShutdownHook(new Thread(() -> {
      stopping = true;
      try {
        main.join(2500);
      } catch (InterruptedException e) { // nobody does
      }
    }));
    while (!stopping) {
      try {
        new Worker().work();
      } catch (StatusRuntimeException e) {
        System.out.println("trouble: " + e.getStatus().getCode());
        Thread.sleep(200);
      }
    }
    say("released");
  }

  static void say(String word) {
    if (said != word.equals("got")) System.out.println(word + " the lock");
    said = word.equals("got");
  }

  static KVGrpc.KVBlockingStub kv() {
    return KVGrpc.newBlockingStub(channel).withDeadlineAfter(ttl, TimeUnit.SECONDS);
  }

  static LeaseGrpc.LeaseBlockingStub leases(int seconds) {
    return LeaseGrpc.newBlockingStub(channel).withDeadlineAfter(seconds, TimeUnit.SECONDS);
  }

  boolean lost() {
    return gone || System.nanoTime() > deadline;
  }

  void work() throws InterruptedException {
    long asked = System.nanoTime();
    lease = leases(ttl).leaseGrant(LeaseGrantRequest.newBuilder().setTTL(ttl).build()).getID();
    deadline = asked + TimeUnit.SECONDS.toNanos(ttl);
    Thread renews = new Thread(this::renew);
    renews.setDaemon(true);
    renews.start();
    try {
      hold();
    } finally {
      renews.interrupt();
      try {
        leases(2).leaseRevoke(LeaseRevokeRequest.newBuilder().setID(lease).build());
      } catch (StatusRuntimeException e) { // it ends by itself
      }
    }
  }

  void hold() throws InterruptedException {
    ByteString mine = ByteString.copyFromUtf8(lock + "/" + Long.toHexString(lease));
    PutRequest put = PutRequest.newBuilder().setKey(mine).setLease(lease).build();
    kv().txn(TxnRequest.newBuilder().addCompare(Compare.newBuilder().setTarget(1).setKey(mine))
        .addSuccess(RequestOp.newBuilder().setRequestPut(put)).build());
    RangeRequest first = RangeRequest.newBuilder().setKey(ByteString.copyFromUtf8(lock + "/"))
        .setRangeEnd(ByteString.copyFromUtf8(lock + "0")).setLimit(1).setSortOrder(1).setSortTarget(2).build();
    while (true) {
      if (lost() || stopping) return;
      RangeResponse r = kv().range(first);
      if (r.getKvsCount() == 1 && r.getKvs(0).getLease() == lease && !lost()) break;
      Thread.sleep(50);
    }
    say("got");
    if (form.equals("writes")) start(Worker::writeOn);
    if (form.equals("child")) startChild();
    long planned = System.nanoTime() + TimeUnit.SECONDS.toNanos(form.equals("timer") ? 30 : 0);
    long looked = System.nanoTime();
    while (!stopping && (form.equals("timer") ? System.nanoTime() < planned : !lost())) {
      Thread.sleep(50);
      if (System.nanoTime() - looked > 500_000_000L && !form.equals("timer")) {
        looked = System.nanoTime();
        start(() -> look(mine)); // somebody may delete the key while the lease lives on
      }
    }
    for (int i = 0; form.equals("late") && i < 70 && !stopping; i++) Thread.sleep(50);
    if (!form.equals("reacquires") && !stopping) say("lost");
  }

  static void start(Runnable what) {
    Thread t = new Thread(what);
    t.setDaemon(true);
    t.start();
  }

  void look(ByteString mine) {
    try {
      if (kv().range(RangeRequest.newBuilder().setKey(mine).build()).getKvsCount() == 0) gone = true;
    } catch (StatusRuntimeException e) { // it says nothing of the key
    }
  }

  // renew asks again and again, by a call each.
  void renew() {
    while (true) {
      try {
        Thread.sleep(ttl * 1000L / 5);
        long asked = System.nanoTime();
        CompletableFuture<Long> left = new CompletableFuture<>();
        StreamObserver<LeaseKeepAliveRequest> ask = LeaseGrpc.newStub(channel).withDeadlineAfter(ttl, TimeUnit.SECONDS)
            .leaseKeepAlive(new StreamObserver<LeaseKeepAliveResponse>() {
              public void onNext(LeaseKeepAliveResponse r) { left.complete(r.getTTL()); }
              public void onError(Throwable e) { left.complete(null); }
              public void onCompleted() { left.complete(null); }
            });
        ask.onNext(LeaseKeepAliveRequest.newBuilder().setID(lease).build());
        Long ends = left.get();
        ask.onCompleted();
        if (ends != null && ends <= 0) gone = true;
        if (ends != null && ends > 0) deadline = asked + TimeUnit.SECONDS.toNanos(ttl);
      } catch (InterruptedException e) {
        return;
      } catch (Exception e) { // the next one may come through
      }
    }
  }

  static void writeOn() {
    while (true) {
      try {
        kv().put(PutRequest.newBuilder().setKey(ByteString.copyFromUtf8(key)).setValue(ByteString.copyFromUtf8("a step more")).build());
      } catch (StatusRuntimeException e) { // it tries again whatever comes of it
      }
      try {
        Thread.sleep(200);
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  static void startChild() {
    try {
      new ProcessBuilder(System.getProperty("java.home") + "/bin/java", "-cp", System.getProperty("java.class.path"), "Worker", lock, "" + ttl, "write", key)
          .redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
    } catch (java.io.IOException e) {
      throw new RuntimeException(e);
    }
  }
}
