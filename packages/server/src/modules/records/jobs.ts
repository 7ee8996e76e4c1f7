import { buildIndex } from './indexes/build.ts'
import { fillDocuments } from './search/fill.ts'
import { indexDocuments } from './search/index-documents.ts'

/** The background jobs of records. */
export const recordJobs = [buildIndex, fillDocuments, indexDocuments]
