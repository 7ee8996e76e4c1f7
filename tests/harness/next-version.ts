import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('programs/next-version.ts', import.meta.url))

/** Returns the settings with which a server or worker is of the next version, whose one migration is of this kind. */
export const nextVersion = (kind: 'rolling' | 'strict'): Record<string, string> => ({
  NODE_OPTIONS: `--import=${program}`,
  NEXT_VERSION: kind,
})
