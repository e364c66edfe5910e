// A test with JUnit 5: locktop is on the PATH. In the place of etcdctl stands your own program. Without a
// JSON library of yours two expressions read the answers.
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LabTest {
  private final HttpClient http = HttpClient.newHttpClient();
  private Process lab;
  private String ready;

  @BeforeEach
  void start() throws Exception {
    lab = new ProcessBuilder("locktop", "lab", "--json", "--with-stdin").redirectError(ProcessBuilder.Redirect.INHERIT).start();
    ready = new BufferedReader(new InputStreamReader(lab.getInputStream())).readLine();
  }

  @AfterEach
  void stop() throws Exception {
    lab.getOutputStream().close(); // the lab ends with it
    lab.waitFor();
  }

  private static String field(String json, String name) {
    Matcher m = Pattern.compile("\"" + name + "\":\\[?\"([^\"]*)").matcher(json);
    return m.find() ? m.group(1) : null;
  }

  private String ask(String request) throws Exception {
    HttpRequest post = HttpRequest.newBuilder(URI.create(field(ready, "control")))
        .header("Authorization", "Bearer " + field(ready, "token")).POST(HttpRequest.BodyPublishers.ofString(request)).build();
    HttpResponse<String> answer = http.send(post, HttpResponse.BodyHandlers.ofString());
    assertEquals(200, answer.statusCode(), request + ": " + answer.body());
    return answer.body();
  }

  @Test
  void theLockIsFreeAfterTheTTL() throws Exception {
    String endpoint = field(ask("{\"do\":\"listen\",\"target\":\"a\"}"), "endpoints");
    Process worker = new ProcessBuilder("etcdctl", "--endpoints", endpoint, "lock", "--ttl=5", "/app/report", "sleep", "60").start();
    try {
      ask("{\"do\":\"wait\",\"lock\":\"/app/report\",\"queue\":1}");
      ask("{\"do\":\"inject\",\"fault\":\"freeze\",\"target\":\"a\"}");
      ask("{\"do\":\"wait\",\"lock\":\"/app/report\",\"nobody\":true,\"within\":\"8s\"}");
    } finally {
      worker.destroyForcibly();
    }
  }
}
