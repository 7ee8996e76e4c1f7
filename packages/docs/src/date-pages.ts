import { pageDates, pageDatesFile } from './site/page-dates.ts'
import { pages } from './site/site.ts'
import { writeFiles } from './write.ts'

writeFiles({ [pageDatesFile]: pageDates(pages, new Date().toISOString().slice(0, 10)) })
