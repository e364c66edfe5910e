// The lab as a container, with Testcontainers: its listeners are on loopback, so it has the network of the
// machine (Linux). The first line of its output says where it is.
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.utility.DockerImageName;

class WithTestcontainers {
  static GenericContainer<?> lab() {
    return new GenericContainer<>(DockerImageName.parse("locktop"))
        .withNetworkMode("host")
        .withCommand("lab", "--json")
        .withTmpFs(java.util.Map.of("/tmp", "rw"))
        .withEnv("TMPDIR", "/tmp")
        .withEnv("XDG_STATE_HOME", "/tmp/state")
        .waitingFor(Wait.forLogMessage(".*\"control\".*", 1));
  }
  // String ready = lab.getLogs(OutputFrame.OutputType.STDOUT).lines().findFirst().orElseThrow();
}
