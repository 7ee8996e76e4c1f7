// Writes src/operations.ts, where each operation of the contract is, and src/react-query/emitters.ts, which domains
// make events. The compiler checks both against the contract.
import { writeFileSync } from 'node:fs'
import { contract, eventTypes, type Endpoint } from '@kontor/contract'

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

/** The first part of an event type: `workflow` of `workflow.updated`. */
const familyOf = (type: string): string => type.split('.', 1)[0] ?? ''

const families = [...new Set(eventTypes.map(familyOf))].toSorted()

const emitting = (isOf: (events: readonly string[]) => boolean): string[] =>
  Object.entries<Readonly<Record<string, Endpoint>>>(contract).flatMap(([name, endpoints]) =>
    Object.values(endpoints).some(({ emits = [] }) => isOf(emits)) ? [name] : [],
  )

const listed = (names: readonly string[]): string => `[${names.map((name) => `'${name}'`).join(', ')}]`

const familyLine = (family: string): string => {
  // An operation names first what it is about, then what it changes beside.
  const own = emitting(([first = '']) => familyOf(first) === family)
  const beside = emitting((events) => events.some((type) => familyOf(type) === family))
  return `  ${family}: { own: ${listed(own)}, beside: ${listed(beside.filter((name) => !own.includes(name)))} },`
}

writeFileSync(
  new URL('src/react-query/emitters.ts', import.meta.url),
  [
    '// Written by `pnpm --filter @kontor/client generate`, from the contract.',
    "import type { AppContract, EventResource } from '@kontor/contract'",
    '',
    "type EventType = EventResource['attributes']['type']",
    '',
    '/** The first part of an event type: `workflow` of `workflow.updated`. */',
    'export type Family = EventType extends infer T ? (T extends `${infer F}.${string}` ? F : never) : never',
    '',
    'type Domains = readonly (keyof AppContract)[]',
    '',
    '/** The domains whose operations make events of a family: what they are about, or what they change beside. */',
    'export const emitters: Readonly<Record<Family, { readonly own: Domains; readonly beside: Domains }>> = {',
    ...families.map(familyLine),
    '}',
    '',
  ].join('\n'),
)
