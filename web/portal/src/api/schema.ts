// Generated from /openapi.json by `make portal-api-types`.

export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export interface components {
  schemas: {
    Analysis: {
      /** Format: uuid */
      analysisId: string;
      analysisState: components['schemas']['AnalysisState'];
      analysisStateHistory: components['schemas']['StateChange'][];
      analysisType: components['schemas']['AnalysisTypeId'];
      createdAt: string;
      files: components['schemas']['File'][];
      firstPublishedAt: string | null;
      publishedAt: string | null;
      studyId: string;
      updatedAt: string;
    };
    AnalysisPage: {
      analyses: components['schemas']['Analysis'][];
      /** Format: int64 */
      currentTotalAnalyses: number;
      /** Format: int64 */
      totalAnalyses: number;
    };
    /** @enum {string} */
    AnalysisState: 'UNPUBLISHED' | 'PUBLISHED' | 'SUPPRESSED';
    AnalysisType: {
      createdAt: string;
      name: string;
      options: components['schemas']['TypeOptions'];
      schema?: Record<string, unknown>;
      /** Format: int32 */
      version: number;
    };
    AnalysisTypeId: {
      name: string;
      /** Format: int32 */
      version: number;
    };
    AnalysisTypePage: {
      /** Format: int64 */
      count: number;
      /** Format: int64 */
      limit: number;
      /** Format: int64 */
      offset: number;
      resultSet: components['schemas']['AnalysisType'][];
    };
    AnalysisTypeRegistration: {
      name: string;
      options?: components['schemas']['PartialTypeOptions'] | null;
      schema: Record<string, unknown>;
    };
    AnalysisTypeVersions: {
      /** Format: int64 */
      count?: number;
      createdAt: string;
      name: string;
      options: components['schemas']['TypeOptions'];
      resultSet?: components['schemas']['AnalysisType'][];
      schema: Record<string, unknown>;
      /** Format: int32 */
      version: number;
    };
    ApiKey: {
      created: string;
      expires?: string | null;
      id: string;
      lastUsed?: string | null;
      name: string;
      owner?: string | null;
      revoked?: string | null;
      scopes: string[];
      state: components['schemas']['ApiKeyState'];
    };
    /** @enum {string} */
    ApiKeyState: 'in force' | 'expired' | 'revoked';
    ApiKeys: {
      keys: components['schemas']['ApiKey'][];
    };
    CatalogueDirectory: {
      /** Format: int64 */
      catalogCount: number;
      catalogs: {
        [key: string]: components['schemas']['CatalogueEntry'];
      };
      mode: components['schemas']['CatalogueMode'];
      sqonSchemaPath: string;
      status: components['schemas']['CataloguesStatus'];
    };
    CatalogueEntry: {
      description?: string;
      documentType: string;
      error?: components['schemas']['CatalogueFailure'] | null;
      limits?: components['schemas']['CatalogueLimits'] | null;
      paths: components['schemas']['CataloguePaths'];
      status: components['schemas']['CatalogueStatus'];
    };
    CatalogueFailure: {
      code: string;
      message: string;
    };
    CatalogueField: {
      displayName: string;
      graphqlName?: string;
      multiFieldOf?: string;
      type: string;
      unit: string | null;
    };
    CatalogueFields: {
      catalogId: string;
      description?: string;
      documentType: string;
      error?: components['schemas']['CatalogueFailure'];
      fields: {
        [key: string]: components['schemas']['CatalogueField'];
      };
      /** Format: date-time */
      generatedAt: string;
      limits: components['schemas']['CatalogueLimits'];
      meta: components['schemas']['CatalogueMeta'];
      network?: components['schemas']['CatalogueNetwork'];
      operators: {
        [key: string]: string[];
      };
      status?: components['schemas']['CatalogueStatus'];
    };
    CatalogueIndexing: {
      alias: string;
      /** Format: int64 */
      behind: number | null;
      catalogue: string;
      index: string | null;
      lastError: components['schemas']['IndexingProblem'] | null;
      needsReindex: string[];
      notes: string[];
      position: string | null;
      setAside: components['schemas']['SetAsideDocument'][];
      /** Format: int64 */
      setAsideDropped: number;
      source: string;
      status: components['schemas']['IndexingStatus'];
    };
    CatalogueLimits: {
      /** Format: int64 */
      maxAliases: number;
      /** Format: int64 */
      maxCost: number;
      /** Format: int64 */
      maxDepth: number;
      /** Format: int64 */
      maxResponseBytes: number;
      /** Format: int64 */
      maxResultsWindow: number;
    };
    CatalogueMeta: {
      authFiltered: boolean;
      /** Format: int64 */
      suppressedBelow?: number;
    };
    /** @enum {string} */
    CatalogueMode: 'single' | 'multiple';
    CatalogueNetwork: {
      fields: {
        [key: string]: string;
      };
      nodes: components['schemas']['CatalogueNode'][];
    };
    CatalogueNode: {
      asked: boolean;
      error?: string;
      name: string;
      nodeId?: string;
      remote: boolean;
      version?: string;
    };
    CataloguePaths: {
      fields?: string;
      graphql: string;
      introspection: string;
    };
    /** @enum {string} */
    CatalogueStatus: 'available' | 'failed';
    /** @enum {string} */
    CataloguesStatus: 'healthy' | 'degraded' | 'unhealthy';
    ExternalValidation: {
      jsonPath: string;
      url: string;
    };
    File: {
      /** Format: uuid */
      analysisId: string;
      dataType: string;
      fileAccess: components['schemas']['FileAccess'];
      fileMd5sum: string;
      fileName: string;
      /** Format: int64 */
      fileSize: number;
      fileType: string;
      info?: Record<string, unknown>;
      /** Format: uuid */
      objectId: string;
      studyId: string;
    };
    /** @enum {string} */
    FileAccess: 'open' | 'controlled';
    FileUpdateRequest: {
      dataType?: string | null;
      fileAccess?: components['schemas']['FileAccess'] | null;
      fileMd5sum?: string | null;
      /** Format: int64 */
      fileSize?: number | null;
      info?: Record<string, unknown> | null;
    };
    IndexingProblem: {
      at: string;
      message: string;
    };
    /** @enum {string} */
    IndexingStatus: 'starting' | 'following' | 'standingBy' | 'failing';
    Job: {
      catalogue: string;
      /** Format: int64 */
      done: number;
      endedAt: string | null;
      /** Format: int64 */
      id: number;
      index: string | null;
      kind: components['schemas']['JobKind'];
      problem: string | null;
      reason: string | null;
      /** Format: int64 */
      setAside: number;
      startedAt: string;
      status: components['schemas']['JobStatus'];
      /** Format: int64 */
      total: number;
    };
    /** @enum {string} */
    JobKind: 'reindex';
    /** @enum {string} */
    JobStatus: 'running' | 'succeeded' | 'failed' | 'cancelled' | 'interrupted';
    MadeApiKey: {
      created: string;
      expires?: string | null;
      id: string;
      key: string;
      lastUsed?: string | null;
      name: string;
      owner?: string | null;
      revoked?: string | null;
      scopes: string[];
      state: components['schemas']['ApiKeyState'];
    };
    NewApiKey: {
      expiresAt?: string | null;
      /** Format: int32 */
      expiresInDays?: number | null;
      name: string;
      scopes: string[];
    };
    PartialTypeOptions: {
      externalValidations?: components['schemas']['ExternalValidation'][] | null;
      fileTypes?: string[] | null;
    };
    Readiness: {
      message?: string;
      status: components['schemas']['CataloguesStatus'];
    };
    SessionState: {
      person?: components['schemas']['SignedInPerson'] | null;
      signIn: boolean;
    };
    SetAsideDocument: {
      analysisId: string;
      at: string;
      documentId: string | null;
      reason: string;
    };
    SignedInPerson: {
      id: string;
      name: string;
      scopes: string[];
    };
    SignedOut: {
      url?: string | null;
    };
    StateChange: {
      initialState: components['schemas']['AnalysisState'];
      updatedAt: string;
      updatedState: components['schemas']['AnalysisState'];
    };
    Study: {
      description?: string;
      info?: Record<string, unknown>;
      name?: string;
      organization?: string;
      studyId: string;
    };
    StudyRequest: {
      description?: string | null;
      info?: Record<string, unknown> | null;
      name?: string | null;
      organization?: string | null;
      studyId: string;
    };
    TypeOptions: {
      externalValidations: components['schemas']['ExternalValidation'][];
      fileTypes: string[];
    };
  };
  responses: never;
  parameters: never;
  requestBodies: never;
  headers: never;
  pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
