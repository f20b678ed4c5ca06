import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.opensearch.analysis.common.CommonAnalysisPlugin;
import org.opensearch.common.settings.Settings;
import org.opensearch.geo.GeoModulePlugin;
import org.opensearch.http.HttpServerTransport;
import org.opensearch.index.mapper.MapperExtrasPlugin;
import org.opensearch.index.rankeval.RankEvalPlugin;
import org.opensearch.index.reindex.ReindexPlugin;
import org.opensearch.ingest.common.IngestCommonPlugin;
import org.opensearch.join.ParentJoinPlugin;
import org.opensearch.node.InternalSettingsPreparer;
import org.opensearch.node.Node;
import org.opensearch.painless.PainlessPlugin;
import org.opensearch.percolator.PercolatorPlugin;
import org.opensearch.script.mustache.MustachePlugin;
import org.opensearch.search.aggregations.matrix.MatrixAggregationPlugin;
import org.opensearch.search.pipeline.common.SearchPipelineCommonModulePlugin;
import org.opensearch.transport.Netty4Plugin;

/**
 * One OpenSearch 2 node with the usual modules of the official minimal distribution.
 *
 * <p>From the class path the modules do not extend each other, so two analysis filters that take a script
 * (condition, predicate_token_filter) are missing.
 *
 * <p>The system property engine.cluster makes it one of several nodes that are a cluster: the ports at which the nodes
 * speak with each other, its own first, separated by commas.
 */
public final class OpenSearchNode extends Node implements EngineMain.SearchNode {

    private OpenSearchNode(Map<String, String> settings) {
        super(
            InternalSettingsPreparer.prepareEnvironment(Settings.EMPTY, settings, null, () -> "node-1"),
            List.of(
                Netty4Plugin.class,
                CommonAnalysisPlugin.class,
                PainlessPlugin.class,
                MustachePlugin.class,
                ReindexPlugin.class,
                ParentJoinPlugin.class,
                MapperExtrasPlugin.class,
                MatrixAggregationPlugin.class,
                PercolatorPlugin.class,
                RankEvalPlugin.class,
                IngestCommonPlugin.class,
                SearchPipelineCommonModulePlugin.class,
                GeoModulePlugin.class
            ),
            false
        );
    }

    private static Map<String, String> nodeSettings(Path home, String port) throws IOException {
        Map<String, String> settings = new HashMap<>(EngineMain.SearchNode.settings(home, port));
        String cluster = System.getProperty("engine.cluster");
        if (cluster != null) {
            List<String> ports = List.of(cluster.split(","));
            settings.remove("discovery.type");
            settings.put("transport.port", ports.get(0));
            settings.put("node.name", "node-" + ports.get(0));
            settings.put("discovery.seed_hosts", "127.0.0.1:" + String.join(",127.0.0.1:", ports));
            settings.put("cluster.initial_cluster_manager_nodes", "node-" + String.join(",node-", ports));
        }
        return settings;
    }

    @Override
    public int port() {
        return injector().getInstance(HttpServerTransport.class).boundAddress().publishAddress().getPort();
    }

    public static void main(String[] args) {
        EngineMain.run(args, (home, port) -> {
            OpenSearchNode node = new OpenSearchNode(nodeSettings(home, port));
            node.start();
            return node;
        });
    }
}
