import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.elasticsearch.analysis.common.CommonAnalysisPlugin;
import org.elasticsearch.common.settings.Setting;
import org.elasticsearch.common.settings.Settings;
import org.elasticsearch.http.HttpServerTransport;
import org.elasticsearch.index.mapper.MapperExtrasPlugin;
import org.elasticsearch.index.rankeval.RankEvalPlugin;
import org.elasticsearch.join.ParentJoinPlugin;
import org.elasticsearch.node.InternalSettingsPreparer;
import org.elasticsearch.node.Node;
import org.elasticsearch.painless.PainlessPlugin;
import org.elasticsearch.percolator.PercolatorPlugin;
import org.elasticsearch.plugins.Plugin;
import org.elasticsearch.plugins.ScriptPlugin;
import org.elasticsearch.reindex.ReindexPlugin;
import org.elasticsearch.script.ScriptContext;
import org.elasticsearch.script.ScriptEngine;
import org.elasticsearch.script.mustache.MustachePlugin;
import org.elasticsearch.search.aggregations.matrix.MatrixAggregationPlugin;
import org.elasticsearch.transport.Netty4Plugin;

/**
 * One Elasticsearch 7.17 node.
 *
 * <p>The analysis and Painless modules were never published for 7.17, so their 7.10.2 builds run on the
 * 7.17 server. What of them does not fit it, and so is missing here: the analysis filters that take a
 * script (condition, predicate_token_filter), scripts of runtime fields, and /_scripts/painless/_execute.
 * Ingest processors are missing too: their module is not part of this node.
 */
public final class ElasticsearchNode extends Node implements EngineMain.SearchNode {

    /** Painless as a script engine only: its REST actions do not link with the 7.17 server. */
    public static final class PainlessScripts extends Plugin implements ScriptPlugin {
        private final PainlessPlugin painless = new PainlessPlugin();

        @Override
        public ScriptEngine getScriptEngine(Settings settings, Collection<ScriptContext<?>> contexts) {
            return painless.getScriptEngine(settings, contexts);
        }

        @Override
        public List<Setting<?>> getSettings() {
            return painless.getSettings();
        }
    }

    private ElasticsearchNode(Map<String, String> settings) {
        super(
            InternalSettingsPreparer.prepareEnvironment(Settings.EMPTY, settings, null, () -> "node-1"),
            List.of(
                Netty4Plugin.class,
                CommonAnalysisPlugin.class,
                PainlessScripts.class,
                MustachePlugin.class,
                ReindexPlugin.class,
                ParentJoinPlugin.class,
                MapperExtrasPlugin.class,
                MatrixAggregationPlugin.class,
                PercolatorPlugin.class,
                RankEvalPlugin.class
            ),
            false
        );
    }

    @Override
    public int port() {
        return injector().getInstance(HttpServerTransport.class).boundAddress().publishAddress().getPort();
    }

    public static void main(String[] args) {
        EngineMain.run(args, (home, port) -> {
            ElasticsearchNode node = new ElasticsearchNode(EngineMain.SearchNode.settings(home, port));
            node.start();
            return node;
        });
    }
}
