import { bulkItemsMax, type Endpoint } from '@kontor/contract'
import { isList, isRecord } from '../../lib/guards.ts'
import { betweenSteps, mapInPortions } from '../../lib/portions.ts'
import { FaultRoom, Failure } from '../errors.ts'
import { faultText } from './fault-text.ts'
import { depthMax, findUnstorable, faultsOf, parseInput, parseStorable } from './parse.ts'

/** The items of a body that are wrong in themselves, by their position. */
export type RefusedItems = ReadonlyMap<number, Failure>

type ItemInput = Readonly<Record<string, unknown>>

/** A call that has been checked, and the items of its body that are wrong where each stands for itself. */
export type ParsedCall = { readonly input: Record<string, unknown>; readonly refusedItems: RefusedItems }

/**
 * Checks a call against its endpoint as `parseInput` does, but its items one by one where they stand for themselves.
 */
export async function parseCall(endpoint: Endpoint, given: ItemInput): Promise<ParsedCall> {
  try {
    const lists = listsIn(given)
    const unstorable = findUnstorable(withoutItems(given, lists)) ?? (await findUnstorableItem(lists))
    if (unstorable !== undefined) throw new Failure(unstorable)
    return { input: parseStorable(endpoint, given), refusedItems: new Map() }
  } catch (error) {
    // Looked for only now: nearly all bodies have no fault.
    const aside = error instanceof Failure ? setFaultyItemsAside(endpoint, given) : undefined
    if (aside === undefined) throw error
    return { input: parseInput(endpoint, aside.rest), refusedItems: aside.refusedItems }
  }
}

type NamedList = readonly [name: string, items: readonly unknown[]]

const listsIn = ({ body }: ItemInput): NamedList[] =>
  Object.entries(isRecord(body) ? body : {}).filter((entry): entry is [string, unknown[]] => isList(entry[1]))

const withoutItems = (given: ItemInput, lists: readonly NamedList[]): ItemInput =>
  lists.length === 0
    ? given
    : {
        ...given,
        body: {
          ...(isRecord(given['body']) && given['body']),
          ...Object.fromEntries(lists.map(([name]) => [name, []])),
        },
      }

/** Finds what no schema can accept; the items of lists in a body are checked in portions, since they may be many. */
async function findUnstorableItem(lists: readonly NamedList[]) {
  for (const [name, items] of lists) {
    const faults = await mapInPortions(items, (item, position) => findUnstorable(item, ['body', name, position]))
    const first = faults.find((fault) => fault !== undefined)
    if (first !== undefined) return first
    await betweenSteps(items)
  }
  return undefined
}

/**
 * Takes the items that are wrong in themselves out of a call whose items stand for themselves, and puts `instead` in
 * their places; undefined where no item is wrong, or the call is not of this kind.
 */
function setFaultyItemsAside(
  endpoint: Endpoint,
  given: ItemInput,
): { readonly rest: ItemInput; readonly refusedItems: RefusedItems } | undefined {
  const items = itemsByThemselves(endpoint, given)
  const room = new FaultRoom()
  const refusedItems = new Map(
    items.flatMap((item, position) => {
      const refusal = refusalOf(endpoint, item, position, room)
      return refusal === undefined ? [] : [[position, refusal] as const]
    }),
  )
  if (refusedItems.size === 0) return undefined
  const rest = withItems(given, (item, position) => (refusedItems.has(position) ? endpoint.itemByItem?.instead : item))
  return { rest, refusedItems }
}

/**
 * A call without what is nested too deeply in refused items, so that it can be written as text. Two calls that differ
 * only there are refused alike.
 */
export const withoutDepth = (given: ItemInput, refusedItems: RefusedItems): ItemInput =>
  refusedItems.size === 0
    ? given
    : withItems(given, (item, position) => (refusedItems.has(position) ? upTo(depthMax, item) : item))

function itemsByThemselves({ itemByItem }: Endpoint, { atomic, body }: ItemInput): readonly unknown[] {
  const data = isRecord(body) ? body['data'] : undefined
  return itemByItem !== undefined && atomic === false && isList(data) && data.length <= bulkItemsMax ? data : []
}

function refusalOf(endpoint: Endpoint, item: unknown, position: number, room: FaultRoom): Failure | undefined {
  const at = ['body', 'data', position]
  const unstorable = findUnstorable(item, at)
  if (unstorable !== undefined) return new Failure(unstorable)
  const parsed = endpoint.itemByItem?.item.safeParse(item, { error: faultText })
  const faults = parsed?.error?.issues.flatMap((issue) => faultsOf(endpoint, issue, at)) ?? []
  return faults.length === 0 ? undefined : new Failure(faults.filter(() => room.take(position)))
}

function withItems(given: ItemInput, replace: (item: unknown, position: number) => unknown): ItemInput {
  const { body } = given
  if (!isRecord(body) || !isList(body['data'])) return given
  return { ...given, body: { ...body, data: body['data'].map(replace) } }
}

function upTo(depth: number, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (depth === 0) return null
  return isList(value)
    ? value.map((item) => upTo(depth - 1, item))
    : Object.fromEntries(Object.entries(value).map(([name, member]) => [name, upTo(depth - 1, member)]))
}
