import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

/** In the folder of the dependencies; if it is not writable, each start compiles again. */
const folder = fileURLToPath(new URL('../../../../node_modules/.cache/kontor', import.meta.url))

/** Takes what this process loads from now on from the compile cache. */
export const useCompileCache = (): void => void enableCompileCache(folder)

/** The environment of a process that takes all that it loads from there. */
export const compiledEnvironment = (): NodeJS.ProcessEnv => ({ ...process.env, NODE_COMPILE_CACHE: folder })
