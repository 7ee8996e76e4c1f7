import { documents } from './documents.ts'
import { writeFiles } from './write.ts'

writeFiles(documents())
