import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.opensearch.Version;
import org.opensearch.analysis.common.CommonAnalysisModulePlugin;
import org.opensearch.common.settings.Settings;
import org.opensearch.geo.GeoModulePlugin;
import org.opensearch.http.HttpServerTransport;
import org.opensearch.index.mapper.MapperExtrasModulePlugin;
import org.opensearch.index.rankeval.RankEvalModulePlugin;
import org.opensearch.index.reindex.ReindexModulePlugin;
import org.opensearch.ingest.common.IngestCommonModulePlugin;
import org.opensearch.join.ParentJoinModulePlugin;
import org.opensearch.node.InternalSettingsPreparer;
import org.opensearch.node.Node;
import org.opensearch.painless.PainlessModulePlugin;
import org.opensearch.percolator.PercolatorModulePlugin;
import org.opensearch.plugins.PluginInfo;
import org.opensearch.script.mustache.MustacheModulePlugin;
import org.opensearch.search.aggregations.matrix.MatrixAggregationModulePlugin;
import org.opensearch.search.pipeline.common.SearchPipelineCommonModulePlugin;
import org.opensearch.transport.Netty4ModulePlugin;

/**
 * One OpenSearch 3 node with the usual modules of the official minimal distribution.
 *
 * <p>From the class path the modules do not extend each other, so two analysis filters that take a script
 * (condition, predicate_token_filter) are missing.
 */
public final class OpenSearch3Node extends Node implements EngineMain.SearchNode {

    private OpenSearch3Node(Map<String, String> settings) {
        super(
            InternalSettingsPreparer.prepareEnvironment(Settings.EMPTY, settings, null, () -> "node-1"),
            Stream.of(
                Netty4ModulePlugin.class,
                CommonAnalysisModulePlugin.class,
                PainlessModulePlugin.class,
                MustacheModulePlugin.class,
                ReindexModulePlugin.class,
                ParentJoinModulePlugin.class,
                MapperExtrasModulePlugin.class,
                MatrixAggregationModulePlugin.class,
                PercolatorModulePlugin.class,
                RankEvalModulePlugin.class,
                IngestCommonModulePlugin.class,
                SearchPipelineCommonModulePlugin.class,
                GeoModulePlugin.class
            ).map(OpenSearch3Node::module).collect(Collectors.toList()),
            false
        );
    }

    private static PluginInfo module(Class<?> type) {
        String name = type.getName();
        return new PluginInfo(name, name, "NA", Version.CURRENT, "21", name, null, List.of(), false);
    }

    @Override
    public int port() {
        return injector().getInstance(HttpServerTransport.class).boundAddress().publishAddress().getPort();
    }

    public static void main(String[] args) {
        EngineMain.run(args, (home, port) -> {
            OpenSearch3Node node = new OpenSearch3Node(EngineMain.SearchNode.settings(home, port));
            node.start();
            return node;
        });
    }
}
