import { contract, type Endpoint } from '@kontor/contract'
import type { Json } from '../harness/http.ts'
import type { Random } from '../harness/random.ts'
import type { Words } from './words.ts'

/** Calls that are only accepted as a whole: their parts, made one by one, would never fit each other. */
type Maker = (object: string, random: Random, words: Words) => Json

const isOwn = (field: string): boolean => /^(own|met)_/.test(field)
const related = (words: Words, object: string): [string, Json][] =>
  Object.entries(words.fields(object)).filter(([, { xSvcRelationship }]) => xSvcRelationship !== undefined)
const isToMany = ([, field]: [string, Json]): boolean => field.xSvcRelationship.kind.endsWith('-to-many')

/** The document as it is, with a small change; what came by such a change may go by one. */
function changedDocument(object: string, random: Random, words: Words): Json {
  const document = words.objects.get(object) ?? {}
  const properties = Object.fromEntries(
    Object.entries<Json>(words.fields(object)).filter(
      ([name, { xSvcRelationship }]) =>
        xSvcRelationship !== undefined || !name.startsWith('own_') || random.chance(0.8),
    ),
  )
  const added = random.chance(0.4)
    ? { [`own_${random.below(6)}`]: { type: ['string', 'null'], title: random.word() } }
    : {}
  return { ...document, xSvcAIDescription: random.word(), properties: { ...properties, ...added } }
}

const ofDocument: Maker = (object, random, words) => ({ object, body: changedDocument(object, random, words) })

const newRelationship: Maker = (entity, random, words) => {
  const other = words.object(random)
  const [field, back] = [`met_${random.below(8)}`, `met_by_${random.below(8)}`]
  const [kind, kindBack] = random.pick([
    ['many-to-many', 'many-to-many'],
    ['many-to-one', 'one-to-many'],
    ['one-to-many', 'many-to-one'],
    ['one-to-one', 'one-to-one'],
  ] as const)
  const end = (of: string, to: string, by: string) => ({
    title: random.word(),
    xSvcRelationship: { kind: of, entity: to, field: by },
  })
  const ends = {
    [entity]: { [field]: end(kind, other, back) },
    ...(other !== entity && random.chance(0.5) ? { [other]: { [back]: end(kindBack, entity, field) } } : {}),
  }
  return { entity, body: { data: { type: 'relationship', attributes: ends } } }
}

const goneRelationship: Maker = (_object, random, words) => {
  const own = [...words.objects.keys()].flatMap((entity) =>
    related(words, entity)
      .filter(([field]) => isOwn(field))
      .map(([field]) => ({ entity, field })),
  )
  return own.length === 0 ? {} : random.pick(own)
}

const otherOptions: Maker = (_object, random, words) => {
  const chosen = [...words.objects.values()].flatMap((document) =>
    Object.entries<Json>(document.properties ?? {})
      .filter(([, field]) => field.enum !== undefined && field.readOnly !== true)
      .map(([field]) => ({ id: document.$id as string, field })),
  )
  const { id, field } = random.pick(chosen)
  const option = { [field]: { enum: [`Option ${random.below(5)}`] } }
  return {
    body: {
      data: [
        {
          type: 'schema-properties',
          id,
          attributes: option,
          meta: { [field]: { enum: random.pick(['append', 'append', 'remove']) } },
        },
      ],
    },
  }
}

const otherOrder: Maker = (entity, random, words) => {
  const order = Object.keys(words.fields(entity))
  const start = random.below(order.length)
  return {
    entity,
    body: {
      data: { type: 'schema-property-order', attributes: { order: [...order.slice(start), ...order.slice(0, start)] } },
    },
  }
}

const otherVisibility: Maker = (entity, random, words) => {
  const fields = Object.keys(words.fields(entity))
  return {
    entity,
    body: {
      data: {
        type: 'schema-property-visibility',
        attributes: { hiddenInDetails: fields.length === 0 ? {} : { [random.pick(fields)]: random.chance(0.5) } },
      },
    },
  }
}

const merge: Maker = (object, random, words) => ({
  object,
  id: words.id(random, object),
  body: { data: { type: object, attributes: { sources: [words.id(random, object)] } } },
})

const knownGrant: Maker = (_object, random, words) => words.grant(random) ?? {}

/** Records of the object that a static list is of. */
const entriesOfList: Maker = (_object, random, words) => {
  const known = words.staticList(random)
  if (known === undefined) return {}
  const { object, list } = known
  return {
    object,
    list,
    body: { data: Array.from({ length: 1 + random.below(3) }, () => ({ type: object, id: words.id(random, object) })) },
  }
}

/** Mostly of a person who is not invited yet. */
const invitation: Maker = (_object, random) => ({
  body: { email: `guest-${random.below(2000)}@example.com`, role: random.pick(['admin', 'member', 'viewer']) },
})

/** Along a relationship that the object has, with records of the object at its other end. */
const alongRelationship =
  (data: (field: [string, Json], one: () => Json, random: Random) => Json): Maker =>
  (object, random, words) => {
    const named = related(words, object)
    const path = { object, id: words.id(random, object) }
    if (named.length === 0) return path
    const field = random.pick(named)
    const { entity } = field[1].xSvcRelationship
    const made = data(field, () => ({ type: entity, id: words.id(random, entity) }), random)
    return { ...path, relationship: field[0], ...(made === undefined ? {} : { body: { data: made } }) }
  }

const some = (random: Random, one: () => Json): Json => Array.from({ length: random.below(3) }, one)

/** One of a few Idempotency-Keys, so that some have been used before. */
export const usualKey = (random: Random): string => `key-${random.below(60)}`

const makers = new Map<Endpoint, Maker>([
  [contract.schemas.replace, ofDocument],
  [contract.schemas.plan, ofDocument],
  [contract.schemas.addRelationship, newRelationship],
  [contract.schemas.removeRelationship, goneRelationship],
  [contract.schemas.updateOptions, otherOptions],
  [contract.schemas.reorder, otherOrder],
  [contract.schemas.show, otherVisibility],
  [contract.records.merge, merge],
  [contract.invitations.create, invitation],
  [contract.access.update, knownGrant],
  [contract.access.remove, knownGrant],
  [contract.lists.addRecords, entriesOfList],
  [contract.lists.removeRecords, entriesOfList],
  [contract.requests.get, (_object, random) => ({ key: usualKey(random) })],
  [contract.relationships.list, alongRelationship(() => undefined)],
  [
    contract.relationships.replace,
    alongRelationship((field, one, random) => (isToMany(field) ? some(random, one) : random.pick([one(), null]))),
  ],
  [contract.relationships.add, alongRelationship((_field, one, random) => some(random, one))],
  [contract.relationships.remove, alongRelationship((_field, one, random) => some(random, one))],
])

/** The members of an input that fit each other; none for an endpoint whose parts do not depend on one another. */
export const wholeCall = (endpoint: Endpoint, object: string, random: Random, words: Words): Json =>
  makers.get(endpoint)?.(object, random, words) ?? {}
