import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { Random } from '../harness/random.ts'
import { recordsOf } from '../harness/records.ts'
import { changesOf, schemasOf } from '../harness/schemas.ts'
import { rounds, runSeed } from '../harness/size.ts'
import { listsOf } from '../lists/lists.ts'
import {
  alter,
  draw,
  drawTree,
  namesIn,
  propertiesOf,
  spelled,
  withoutGone,
  type Drawn,
} from './stored-filters/model.ts'

const app = await startApp()
const records = recordsOf(app)
const lists = listsOf(app)
const { make } = schemasOf(app)
const { edit } = changesOf(app)

/** The records that a list finds, or the code of the error that says that it fits no more. */
async function membership(object: string, id: string): Promise<string[] | string> {
  const { status, body } = await lists.records(object, id, { 'page[limit]': 1000 })
  return status === 200 ? body.data.map((one: Json) => one.id).toSorted() : body.errors[0].code
}

async function build(
  random: Random,
): Promise<{ drawn: Drawn; object: string; whole: string; data: Map<string, Json> }> {
  const drawn = draw(random)
  const whole = await make({ name: { type: 'string', xSvcPrimary: true }, ...propertiesOf(drawn.whole, '') })
  const object = await make({ name: { type: 'string', xSvcPrimary: true }, ...propertiesOf(drawn.own, whole) })
  const wholes = await records.createMany(
    whole,
    drawn.wholes.map((values) => spelled(drawn.whole, values)),
  )
  const made = await records.createMany(
    object,
    drawn.records.map(({ values, whole: index }) => ({
      ...spelled(drawn.own, values),
      ...(index !== undefined && { [namesIn(drawn.own).whole!]: wholes[index]!.id }),
    })),
  )
  return { drawn, object, whole, data: new Map(made.map(({ id }, index) => [id, drawn.records[index]])) }
}

test(
  'lists find the same records after fields were renamed and options removed, except by what is gone',
  { timeout: 300_000 },
  async () => {
    await app.startJobs()
    const random = new Random(runSeed, 27)
    for (let round = 0; round < rounds(6, 1); round++) {
      const { drawn, object, whole, data } = await build(random)
      const trees = Array.from({ length: 10 }, () => drawTree(random, drawn, 0))
      const ids: string[] = []
      for (const tree of trees)
        ids.push(
          (await lists.create(object, { query: { filter: tree.spell(drawn, random.chance(0.3) ? object : '') } })).id,
        )
      const expectLists = async (now: Drawn, what: string) => {
        for (const [index, tree] of trees.entries()) {
          const expected = tree.isBroken(now)
            ? 'list_broken'
            : [...data]
                .filter(([, { values, whole: at }]) =>
                  tree.holds(now, values, at === undefined ? undefined : now.wholes[at]),
                )
                .map(([id]) => id)
                .toSorted()
          expect(
            await membership(object, ids[index]!),
            `${what} ${JSON.stringify([tree.spell(drawn, ''), drawn, now])}`,
          ).toEqual(expected)
        }
      }
      await expectLists(drawn, `${round}, before`)
      const now = withoutGone(alter(random, drawn, object))
      for (const [name, before, after, target] of [
        [object, drawn.own, now.own, whole],
        [whole, drawn.whole, now.whole, ''],
      ] as const) {
        const { state } = await edit(name, (properties) => {
          for (const field of before) delete properties[field.name]
          Object.assign(properties, propertiesOf(after, target, before))
        })
        expect(state).toBe('completed')
      }
      for (const [index, id] of [...data.keys()].entries()) data.set(id, now.records[index])
      await expectLists(now, `${round}, after`)
    }
  },
)
