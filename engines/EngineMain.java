import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/**
 * What the main of every engine does: one node on loopback from start to end.
 *
 * <p>Arguments: PORT FOLDER LIFE. Port 0 is a free one. The file engine.url in the folder says where the node is, and
 * is not there before the node can be used. LIFE says how long the node runs: "once" ends it as soon as it can be used,
 * "detached" waits for a signal, and a process id ends it together with that process, however that ends.
 */
final class EngineMain {

    /** A node that runs. */
    interface Running extends AutoCloseable {
        /** Waits until the node can be used, and says where it is. */
        String address() throws Exception;
    }

    /** Starts a node that keeps what it has in a folder. */
    interface Starter {
        Running start(Path home, String port) throws Exception;
    }

    /** A node of a search engine, which is spoken to by HTTP. */
    interface SearchNode extends Running {
        int port();

        @Override
        default String address() throws IOException {
            String url = "http://127.0.0.1:" + port();
            URI health = URI.create(url + "/_cluster/health?wait_for_status=yellow&timeout=120s");
            int status = ((HttpURLConnection) health.toURL().openConnection()).getResponseCode();
            if (status != 200) {
                throw new IOException("the health of the node is no better than red; status " + status);
            }
            return url;
        }

        /** What is set for all of them alike. */
        static Map<String, String> settings(Path home, String port) throws IOException {
            Files.createDirectories(home.resolve("config"));
            return Map.of(
                "cluster.name", "cantata",
                "node.name", "node-1",
                "path.home", home.toString(),
                "network.host", "127.0.0.1",
                "http.port", port,
                "transport.port", "0",
                "discovery.type", "single-node",
                // A nearly full disk of a developer must not make indexes read-only.
                "cluster.routing.allocation.disk.threshold_enabled", "false"
            );
        }
    }

    private EngineMain() {}

    static void run(String[] args, Starter starter) {
        // As in the official distribution: an Error on any thread ends the process, instead of a request that hangs.
        Thread.setDefaultUncaughtExceptionHandler((thread, problem) -> {
            problem.printStackTrace();
            if (problem instanceof Error) {
                Runtime.getRuntime().halt(1);
            }
        });
        try {
            String life = args[2];
            if (Character.isDigit(life.charAt(0))) {
                endWith(Long.parseLong(life));
            }
            Path home = Path.of(args[1]);
            Running node = starter.start(home, args[0]);
            Runtime.getRuntime().addShutdownHook(new Thread(() -> close(node), "close-node"));
            Path unfinished = Files.writeString(home.resolve("engine.url.new"), node.address() + "\n");
            Files.move(unfinished, home.resolve("engine.url"), StandardCopyOption.ATOMIC_MOVE);
            if (!life.equals("once")) {
                new CountDownLatch(1).await();
            }
            System.exit(0);
        } catch (Throwable problem) {
            problem.printStackTrace();
            System.exit(1);
        }
    }

    /** Ends this process when another one ends, at once if it has already. */
    private static void endWith(long owner) {
        ProcessHandle.of(owner).ifPresentOrElse(
            process -> process.onExit().thenRun(() -> System.exit(0)),
            () -> System.exit(0)
        );
    }

    private static void close(Running node) {
        try {
            node.close();
        } catch (Exception problem) {
            problem.printStackTrace();
        }
    }
}
