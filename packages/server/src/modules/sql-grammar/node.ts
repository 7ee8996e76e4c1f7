import type { Node } from './parser.ts'
import { SqlRefusal } from './refusal.ts'

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The kind of a node, and its content. */
export function kindOf(node: unknown): [kind: string, held: Node] {
  if (!isNode(node)) return ['', {}]
  const [kind = ''] = Object.keys(node)
  return [kind, isNode(node[kind]) ? node[kind] : {}]
}

/** The location of a part of the tree: the first location in it. */
function locationOf(part: unknown): number | undefined {
  if (Array.isArray(part)) return earliest(part.map(locationOf))
  if (!isNode(part)) return undefined
  const own = part['location']
  return typeof own === 'number' && own >= 0
    ? earliest([own, ...Object.values(part).map(locationOf)])
    : earliest(Object.values(part).map(locationOf))
}

function earliest(locations: readonly (number | undefined)[]): number | undefined {
  const known = locations.filter((location) => location !== undefined)
  return known.length === 0 ? undefined : Math.min(...known)
}

/** The parser's values for absent members. */
const unsaid = new Set<unknown>([undefined, false, 0])

/** Refuses every member of a node that is not understood, so that additions to the grammar are not let through. */
export function only(node: Node, understood: readonly string[], what: string): void {
  for (const [name, value] of Object.entries(node)) {
    if (!understood.includes(name) && name !== 'location' && !unsaid.has(value))
      throw refused(`${what} does not support ${inWords(name)}`, value, node)
  }
}

const words: Readonly<Record<string, string>> = {
  withClause: 'WITH',
  distinctClause: 'DISTINCT',
  groupClause: 'GROUP BY',
  havingClause: 'HAVING',
  windowClause: 'WINDOW',
  intoClause: 'INTO',
  lockingClause: 'FOR UPDATE',
  limitOffset: 'OFFSET',
  valuesLists: 'VALUES',
  larg: 'UNION, INTERSECT or EXCEPT',
  usingClause: 'USING',
  isNatural: 'NATURAL',
  schemaname: 'schema',
  catalogname: 'catalogue',
}

const inWords = (name: string): string => words[name] ?? name

/** A refusal of a part of the tree; if that part has no location, the location is that of the part around it. */
export const refused = (why: string, part: unknown, around?: unknown, allowed?: readonly string[]): SqlRefusal =>
  new SqlRefusal(`${why}.`, locationOf(part) ?? locationOf(around), allowed)

/** The words of a list of names; undefined if it contains anything else. */
export function namesIn(fields: unknown): string[] | undefined {
  if (!Array.isArray(fields)) return undefined
  const names = fields.map((field) => {
    const [kind, { sval }] = kindOf(field)
    return kind === 'String' && typeof sval === 'string' ? sval : undefined
  })
  return names.every((name) => name !== undefined) ? names : undefined
}

/** Limits the number of nodes that are read, and their depth. */
export class Budget {
  #nodes = 0

  enter(depth: number, node: unknown): void {
    if (++this.#nodes > nodesMax) throw refused(`SQL can have at most ${nodesMax} conditions and names here`, node)
    if (depth > depthMax) throw refused(`Conditions can be nested at most ${depthMax} deep`, node)
  }
}

const nodesMax = 200
const depthMax = 50
