import type { Random } from '../../harness/random.ts'
import type { QueryText } from '../../harness/api.ts'
import type { Json } from '../../harness/http.ts'
import { byValue, type Thing, type Who } from './model.ts'
import { backOf, closed, objects, type World } from './world.ts'

/** A condition as a query and as a tree, the things for which it holds, and what it says itself. */
type Filter = {
  readonly query: QueryText
  readonly tree: Json
  readonly holds: (thing: Thing) => boolean
  readonly said?: readonly string[]
}

const condition = (
  field: string,
  op: string,
  value: Json,
  holds: (thing: Thing) => boolean,
  said: readonly string[] = [],
): Filter => ({
  query: { [`filter[${field}][${op}]`]: value },
  tree: { field, op, value },
  holds,
  said,
})

/** A condition on one of the fields, own or reached through others, as the caller sees them. */
export function filterOf({ model }: World, who: Who, random: Random, object: string): Filter {
  const some = random.pick(model.live(object).length > 0 ? model.live(object) : model.live())
  const to = random.pick(model.live(closed))
  const seenRef = (thing: Thing): Thing | undefined => model.things.get(model.ref(who, thing) ?? '')
  const seenLinks = (thing: Thing): Thing[] => model.links(who, thing).map((id) => model.things.get(id) as Thing)
  const back = random.pick(objects)
  return random.pick([
    condition('name', 'Is', some.name, ({ name }) => name === some.name, [some.name]),
    condition('name', 'Starts with', some.group, ({ group }) => group === some.group),
    condition('rank', 'Is', some.rank ?? 3, ({ rank }) => rank === (some.rank ?? 3)),
    condition('rank', 'Greater than', 4, ({ rank }) => (rank ?? 0) > 4),
    condition('rank', 'Is empty', '', ({ rank }) => rank === null),
    condition('code', 'Is', some.code, ({ code }) => code === some.code, [some.code]),
    condition('ref', 'Is', to.id, (thing) => seenRef(thing)?.id === to.id, [to.id]),
    condition('ref', 'Is not', to.id, (thing) => seenRef(thing)?.id !== to.id, [to.id]),
    condition('ref', 'Is empty', '', (thing) => seenRef(thing) === undefined),
    condition('ref', 'Is not empty', '', (thing) => seenRef(thing) !== undefined),
    condition('ref.name', 'Is', to.name, (thing) => seenRef(thing)?.name === to.name, [to.name]),
    condition('ref.name', 'Is not', to.name, (thing) => seenRef(thing)?.name !== to.name, [to.name]),
    condition('ref.rank', 'Is empty', '', (thing) => (seenRef(thing)?.rank ?? null) === null),
    condition('ref.ref.name', 'Starts with', to.group, (thing) =>
      [seenRef(thing)].some((one) => one !== undefined && seenRef(one)?.group === to.group),
    ),
    condition('links.name', 'Is', to.name, (thing) => seenLinks(thing).some(({ name }) => name === to.name), [to.name]),
    condition('links._id', 'Is', to.id, (thing) => seenLinks(thing).some(({ id }) => id === to.id), [to.id]),
    condition('links.ref.rank', 'Greater than', 2, (thing) =>
      seenLinks(thing).some((one) => (seenRef(one)?.rank ?? 0) > 2),
    ),
    condition('_created_by', 'Is', some.owner ?? to.id, ({ owner }) => owner === (some.owner ?? to.id), [
      some.owner ?? to.id,
    ]),
    ...(object === closed
      ? [
          condition(`${backOf(back)}.name`, 'Starts with', some.group, (thing) =>
            model.seen(who, back).some(({ ref, group }) => ref === thing.id && group === some.group),
          ),
        ]
      : []),
  ])
}

type Order = { readonly column: string; readonly dir: 'ASC' | 'DESC'; readonly compare: (a: Thing, b: Thing) => number }

/** An order by one column, or none. */
export function orderOf({ model }: World, who: Who, random: Random): Order | undefined {
  const dir = random.pick(['ASC', 'DESC'] as const)
  const by = (column: string, valueOf: (thing: Thing) => string | number | null): Order => ({
    column,
    dir,
    compare: byValue(valueOf, dir === 'DESC'),
  })
  return random.pick([
    undefined,
    by('_created_at', ({ createdAt }) => createdAt),
    by('name', ({ name }) => name),
    by('rank', ({ rank }) => rank),
    by('code', ({ code }) => code),
    by('ref', (thing) => model.ref(who, thing)),
    by('_id', ({ id }) => id),
  ])
}
