// Writes src/operations.ts: where each operation of the contract is. The compiler checks it against the contract.
import { writeFileSync } from 'node:fs'
import { contract, type Endpoint } from '@kontor/contract'

const line = ([name, { method, path, safe }]: [string, Endpoint]): string =>
  `  ${name}: { method: '${method}', path: '${path}'${safe === true ? ', safe: true' : ''} },`

const domains = Object.entries(contract).map(([name, endpoints]) => [
  `export const ${name}: OperationsOf<AppContract['${name}']> = {`,
  ...Object.entries(endpoints).map(line),
  '}',
])

writeFileSync(
  new URL('src/operations.ts', import.meta.url),
  [
    '// Written by `pnpm --filter @kontor/client generate`, from the contract.',
    "import type { AppContract } from '@kontor/contract'",
    "import type { OperationsOf } from './operation.ts'",
    ...domains.map((lines) => `\n${lines.join('\n')}`),
    '',
  ].join('\n'),
)
