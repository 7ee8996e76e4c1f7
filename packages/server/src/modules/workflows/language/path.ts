import { isList, isRecord } from '../../../lib/guards.ts'

/** The values that variables and filters read: the state of the trigger and of each block that has run. */
export type RunScope = Readonly<Record<string, unknown>>

/** Where the headers of requests and answers stand. They are kept by their names in lower case, and meant in any. */
const headerPath = /^((?:trigger\.state\.event\.data|[^.]+\.state\.output)\.headers\.)([^.]+)/

/** Looks up a dotted path, `trigger.state.event.object._id`, along own members and indexes; null where it ends. */
export function lookUp(scope: RunScope, path: string): unknown {
  const found = valueAt(scope, path)
  return found === null && headerPath.test(path) ? valueAt(scope, withLowerHeader(path)) : found
}

const withLowerHeader = (path: string): string =>
  path.replace(headerPath, (_, before: string, name: string) => `${before}${name.toLowerCase()}`)

function valueAt(scope: RunScope, path: string): unknown {
  let value: unknown = scope
  for (const name of path.split('.')) {
    if (isList(value)) value = /^\d{1,9}$/.test(name) ? value[Number(name)] : undefined
    else value = isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined
    if (value === undefined) return null
  }
  return value
}

/** The path of a filter's field: what begins with `state.` is of the trigger. */
export const fieldPath = (field: string): string => (field.startsWith('state.') ? `trigger.${field}` : field)
