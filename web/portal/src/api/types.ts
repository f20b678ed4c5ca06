// The server's types by the names that the portal uses.

import type { components } from './schema';

type Schemas = components['schemas'];

export type Analysis = Schemas['Analysis'];
export type AnalysisPage = Schemas['AnalysisPage'];
export type AnalysisState = Schemas['AnalysisState'];
export type AnalysisType = Schemas['AnalysisType'];
export type AnalysisTypePage = Schemas['AnalysisTypePage'];
export type AnalysisTypeRegistration = Schemas['AnalysisTypeRegistration'];
export type AnalysisTypeVersions = Schemas['AnalysisTypeVersions'];
export type ApiKey = Schemas['ApiKey'];
export type ApiKeys = Schemas['ApiKeys'];
export type CatalogueEntry = Schemas['CatalogueEntry'];
export type CatalogueFields = Schemas['CatalogueFields'];
export type CatalogueIndexing = Schemas['CatalogueIndexing'];
export type Directory = Pick<Schemas['CatalogueDirectory'], 'catalogs'>;
export type ExternalValidation = Schemas['ExternalValidation'];
export type FileUpdate = Schemas['FileUpdateRequest'];
export type Job = Schemas['Job'];
export type MadeApiKey = Schemas['MadeApiKey'];
export type NewApiKey = Schemas['NewApiKey'];
export type Readiness = Schemas['Readiness'];
export type SessionState = Schemas['SessionState'];
export type SignedOut = Schemas['SignedOut'];
export type Study = Schemas['Study'];
export type StudyFile = Schemas['File'];
export type StudyRequest = Schemas['StudyRequest'];
