import { contract, isStream, pathParameters, suggestion, type Endpoint } from '@kontor/contract'
import { UsageError } from '../errors.ts'

/** Operations by their names, `lists.create`. A stream never ends, so no command can print its response. */
const operations: ReadonlyMap<string, Endpoint> = new Map(
  Object.entries(contract).flatMap(([domain, endpoints]) =>
    Object.entries<Endpoint>(endpoints)
      .filter(([, endpoint]) => !isStream(endpoint))
      .map(([key, endpoint]) => [`${domain}.${key}`, endpoint] as const),
  ),
)

/** Rows for a table of all operations. */
export const operationTable = [...operations].map(([operation, { summary }]) => ({ id: operation, operation, summary }))

/** Returns the operation with a name; throws UsageError with the nearest name, or with the operations of its domain. */
export function findOperation(name: string): Endpoint {
  const operation = operations.get(name)
  if (operation !== undefined) return operation
  const near = suggestion(name, [...operations.keys()]) || operationsOf(name.split('.', 1)[0] ?? '')
  throw new UsageError(`There is no operation "${name.slice(0, 100)}".${near} "kontor call" lists them all.`)
}

/** Lists the operations of a domain, also by the singular of its name; empty if there is no such domain. */
function operationsOf(domain: string): string {
  const those = [...operations.keys()].filter((name) => [domain, `${domain}s`].includes(name.split('.', 1)[0] ?? ''))
  return those.length === 0 ? '' : ` Did you mean one of these? ${those.join(', ')}.`
}

/** Returns the input of a call; throws UsageError for a missing part of the path. */
export function callInput(
  { path }: Endpoint,
  parameters: readonly string[],
  { workspace, body }: { readonly workspace: string; readonly body: unknown },
): Readonly<Record<string, unknown>> {
  const given = Object.fromEntries(parameters.map(parseParameter))
  const inPath = pathParameters(path)
  const input: Record<string, unknown> = { ...(inPath.includes('workspace') && { workspace }), ...given, body }
  const missing = inPath.filter((parameter) => !input[parameter])
  if (missing.length === 0) return input
  throw new UsageError(`The path ${path} needs ${missing.map((parameter) => `${parameter}=…`).join(' and ')}.`)
}

function parseParameter(text: string): [string, string] {
  const [, name, value = ''] = /^([^=]+)=(.*)$/s.exec(text) ?? []
  if (name === undefined) throw new UsageError(`"${text}" is no parameter; write name=value.`)
  return [name, value]
}
