import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { site } from './site/site.ts'
import { home, writeFiles } from './write.ts'

// Pages that are no longer made must not stay.
rmSync(join(home, 'dist'), { recursive: true, force: true })
writeFiles(Object.fromEntries(Object.entries(await site()).map(([path, text]) => [`dist/${path}`, text])))
