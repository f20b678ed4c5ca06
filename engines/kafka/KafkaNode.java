import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import kafka.tools.StorageTool;
import org.apache.kafka.common.utils.Time;

/**
 * One Kafka broker that is its own controller (KRaft).
 *
 * <p>FOLDER/config/server.properties may add settings and replace those below; {listeners} in a value is replaced by
 * the default listeners. Keys that begin with "scram." are none of Kafka's: each value is a user to make when the
 * folder is new, as the option --add-scram of the storage tool takes it.
 */
public final class KafkaNode implements EngineMain.Running {

    /** Any will do, as long as it stays the same for a folder. */
    private static final String CLUSTER = "Y2FudGF0YS1jYW50YXRhLQ";

    private final KafkaRaftServer server;
    private final String address;

    private KafkaNode(KafkaRaftServer server, String address) {
        this.server = server;
        this.address = address;
    }

    @Override
    public String address() {
        return address;
    }

    @Override
    public void close() {
        server.shutdown();
        server.awaitShutdown();
    }

    private static String freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return String.valueOf(socket.getLocalPort());
        }
    }

    private static Properties properties(Path home, String address) throws IOException {
        String controller = "127.0.0.1:" + freePort();
        Properties properties = new Properties();
        properties.put("process.roles", "broker,controller");
        properties.put("node.id", "1");
        properties.put("controller.quorum.voters", "1@" + controller);
        properties.put("controller.listener.names", "CONTROLLER");
        properties.put("listeners", "PLAINTEXT://" + address + ",CONTROLLER://" + controller);
        properties.put("log.dirs", home.resolve("data").toString());
        // Topics that a broker makes by itself hide that a producer did not.
        properties.put("auto.create.topics.enable", "false");
        // One node is all there is.
        properties.put("offsets.topic.replication.factor", "1");
        properties.put("offsets.topic.num.partitions", "1");
        properties.put("transaction.state.log.replication.factor", "1");
        properties.put("transaction.state.log.min.isr", "1");
        properties.put("transaction.state.log.num.partitions", "1");
        properties.put("group.initial.rebalance.delay.ms", "0");
        Path more = home.resolve("config").resolve("server.properties");
        if (Files.exists(more)) {
            try (Reader reader = Files.newBufferedReader(more)) {
                Properties added = new Properties();
                added.load(reader);
                String listeners = properties.getProperty("listeners");
                added.replaceAll((key, value) -> value.toString().replace("{listeners}", listeners));
                properties.putAll(added);
            }
        }
        return properties;
    }

    /** Makes the folder a folder of Kafka, unless it is one. */
    private static void format(Path home, Properties properties) throws IOException {
        List<String> arguments = new ArrayList<>(List.of("format", "--ignore-formatted", "-t", CLUSTER));
        for (String key : properties.stringPropertyNames()) {
            if (key.startsWith("scram.")) {
                arguments.addAll(List.of("--add-scram", properties.remove(key).toString()));
            }
        }
        Path file = home.resolve("server.properties");
        try (Writer writer = Files.newBufferedWriter(file)) {
            properties.store(writer, null);
        }
        arguments.addAll(List.of("-c", file.toString()));
        int code = StorageTool.execute(arguments.toArray(new String[0]), System.out);
        if (code != 0) {
            throw new IOException("the folder could not be formatted; code " + code);
        }
    }

    public static void main(String[] args) {
        EngineMain.run(args, (home, port) -> {
            String address = "127.0.0.1:" + (port.equals("0") ? freePort() : port);
            Properties properties = properties(home, address);
            format(home, properties);
            KafkaRaftServer server = new KafkaRaftServer(new KafkaConfig(properties, false), Time.SYSTEM);
            server.startup();
            return new KafkaNode(server, address);
        });
    }
}
