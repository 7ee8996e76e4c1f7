import { nameOf, type OpenApi } from '../openapi.ts'

/** The promises of a document to programs: all of it but its words. */
export type Api = Pick<OpenApi, 'paths' | 'components' | 'webhooks'>

const words = new Set(['description', 'summary', 'title', 'example', 'examples', 'tags'])

function withoutWords(value: unknown, within = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutWords(item))
  if (typeof value !== 'object' || value === null) return value
  // Below these, names are those of fields and components, and may be any.
  const isNamed = ['properties', 'schemas', 'parameters', 'responses', 'headers'].includes(within)
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => isNamed || !words.has(name))
      .map(([name, inner]) => [name, withoutWords(inner, isNamed ? '' : name)]),
  )
}

export const apiOf = ({ paths, components, webhooks }: OpenApi): Api =>
  withoutWords({ paths, components, webhooks }) as Api

/** The names of all schemas that some are made of. */
export function namesWithin(api: Api, roots: readonly unknown[]): Set<string> {
  const found = new Set<string>()
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    for (const [key, inner] of Object.entries(value)) {
      if (key !== '$ref' || typeof inner !== 'string') visit(inner)
      else if (inner.startsWith('#/components/schemas/') && !found.has(nameOf({ $ref: inner }))) {
        found.add(nameOf({ $ref: inner }))
        visit(api.components.schemas[nameOf({ $ref: inner })])
      }
    }
  }
  visit(roots)
  return found
}
