import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** The TypeScript that compiles generated clients; its libraries lie in its package, those of TypeScript 7 do not. */
const libraries = dirname(createRequire(new URL('../../clients/package.json', import.meta.url)).resolve('typescript'))

const declaration =
  /^(?:declare )?(?:abstract )?(?:interface|type|var|let|const|function|class|namespace|enum) ([\w$]+)/gm

/**
 * The names that TypeScript's libraries declare for all code (`Record`, `HTMLElement`), and those that Node has at run
 * time.
 */
export const scriptNames: ReadonlySet<string> = new Set([
  ...readdirSync(libraries)
    .filter((file) => /^lib\..+\.d\.ts$/.test(file))
    .flatMap((file) =>
      [...readFileSync(join(libraries, file), 'utf8').matchAll(declaration)].map(([, name]) => name ?? ''),
    ),
  ...Object.getOwnPropertyNames(globalThis),
])
