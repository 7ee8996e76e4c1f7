import { buildIndex } from './indexes/build.ts'
import { fillDocuments } from './search/fill.ts'
import { indexDocuments } from './search/index-documents.ts'

/** What is done for records in the background. */
export const recordJobs = [buildIndex, fillDocuments, indexDocuments]
