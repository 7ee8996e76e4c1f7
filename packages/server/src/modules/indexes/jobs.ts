import { buildIndex } from './build.ts'
import { fillDocuments } from './documents/fill.ts'
import { indexDocuments } from './documents/index-documents.ts'

/** The background jobs of records. */
export const recordJobs = [buildIndex, fillDocuments, indexDocuments]
