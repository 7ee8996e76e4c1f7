type Parameter = {
  $ref?: string
  in?: string
  name?: string
  explode?: boolean
  description?: string
  schema?: { description?: string }
}
type Operation = { parameters?: Parameter[] }
type Document = { paths?: object; webhooks?: object; components?: { parameters?: object } }

/** Path, plain query, free-form query, headers: the order in which a caller fills them in. */
function rank(parameter: Parameter, shared: Record<string, Parameter>): number {
  const { in: place, explode } = parameter.$ref ? (shared[parameter.$ref.split('/').at(-1) ?? ''] ?? {}) : parameter
  if (place === 'path') return 0
  if (place === 'header') return 3
  return explode ? 2 : 1
}

/**
 * Removes `default: {}`, where the members of the object have defaults of their own: generators copy it into code, in
 * which an empty object lacks them.
 */
function dropEmptyDefaults(node: unknown): void {
  if (typeof node !== 'object' || node === null) return
  const { default: value, properties } = node as { readonly default?: unknown; readonly properties?: unknown }
  if (properties !== undefined && JSON.stringify(value) === '{}') delete (node as { default?: unknown }).default
  for (const member of Object.values(node)) dropEmptyDefaults(member)
}

/** Mends what the generator leaves untidy, in place: the order of parameters, words said twice, an empty `webhooks`. */
export function tidy(document: Document): void {
  const shared = (document.components?.parameters ?? {}) as Record<string, Parameter>
  const operations = Object.values((document.paths ?? {}) as Record<string, Record<string, Operation>>).flatMap(
    (item) => Object.values(item),
  )
  for (const { parameters = [] } of operations) {
    parameters.sort((a, b) => rank(a, shared) - rank(b, shared))
    for (const { description, schema } of parameters) {
      if (schema !== undefined && schema.description === description) delete schema.description
    }
  }
  dropEmptyDefaults(document)
  if (Object.keys(document.webhooks ?? {}).length === 0) delete document.webhooks
}
