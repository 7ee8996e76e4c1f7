import type { ObjectModel } from '../../objects/index.ts'
import type { FaultText } from './faults.ts'
import { parseAttributes, requireAttributes } from './parse-attributes.ts'
import { upsertStrategies } from './strategies.ts'

/** The facts about a record to be written. */
type Known = {
  readonly attributes: Readonly<Record<string, unknown>>
  /** Names of attributes whose values are not known yet. */
  readonly open: readonly string[]
  readonly how: 'create' | 'update' | 'upsert'
}

type AttributeFault = { readonly path: readonly (string | number)[]; readonly detail: string }

/** Finds what is certainly wrong with the attributes of a record, in the words in which its write would be refused. */
export function attributeFaults(object: ObjectModel, { attributes, open, how }: Known): AttributeFault[] {
  const found: AttributeFault[] = []
  const faults = {
    add: (path: AttributeFault['path'], text: FaultText) => {
      if (found.length < faultsMax) found.push({ path, detail: typeof text === 'string' ? text : text(false).detail })
    },
  }
  const strategies = how === 'upsert' ? upsertStrategies(object) : undefined
  const values = parseAttributes(object, attributes, [], faults, { newId: () => '' }, strategies)
  if (how !== 'create') return found
  const named = open.flatMap((name) => object.fields.get(name) ?? []).map((field) => [field, undefined] as const)
  requireAttributes(object, new Map([...values, ...named]), [], faults)
  return found
}

/** Faults of one record that are told. */
const faultsMax = 100
