import { guides } from './guides.ts'
import { writeFiles } from './write.ts'

writeFiles(guides())
