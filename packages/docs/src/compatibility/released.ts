import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { document } from '../site/document.ts'
import { home } from '../write.ts'
import { apiOf, type Api } from './api.ts'
import { compare } from './compare.ts'
import type { Change } from './schemas.ts'

/** The API as it was released last, in this package. */
export const releasedFile = 'released.json'

const released = (): Api => JSON.parse(readFileSync(join(home, releasedFile), 'utf8')) as Api

export const currentApi = (): Api => apiOf(document)

/** Returns the changes since the last release; undefined if there was none. */
export const changesSinceRelease = (): Change[] | undefined =>
  existsSync(join(home, releasedFile)) ? compare(released(), currentApi()) : undefined
