import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf } from '../harness/records.ts'

const records = 1500
/**
 * Looking into so much text takes many times as long as a statement may, on any machine; looking into an index does
 * not.
 */
const charactersEach = 40_000
const statementTimeoutMs = 100

const patient = await startApp({ fieldIndexThreshold: 1000 })
const hurried = await startApp({ fieldIndexThreshold: 1000, statementTimeoutMs, beside: patient })

const long = 'All that there is to say about a company. '.repeat(Math.ceil(charactersEach / 42))

async function fill(): Promise<void> {
  const { createMany } = recordsOf(patient)
  for (let start = 0; start < records; start += 300) {
    await createMany(
      'company',
      Array.from({ length: 300 }, (_, index) => ({
        name: `Company ${start + index}`,
        description: `${start + index} ${long}`,
      })),
    )
  }
}

const tooLong = 'The query took too long; narrow it, or try again.'

/**
 * Asks until it is answered as it should: a machine that is busy with other things is late now and then, whatever is
 * asked.
 */
async function until(ask: () => Promise<Json>, wanted: (answer: Json) => boolean): Promise<Json> {
  for (let attempt = 1; attempt < 20; attempt++) {
    const answer = await ask()
    if (wanted(answer)) return answer
    expect(answer.body.errors[0].code).toBe('overloaded')
  }
  return ask()
}

const ask = () => recordsOf(hurried).list('company', { 'filter[description][Starts with]': '1318 all that' })

test(
  'a list that takes too long is refused with when to come back, and found by the index that was built meanwhile',
  { timeout: 120_000 },
  async () => {
    await fill()
    const refused = await until(ask, ({ body }) => body.errors?.[0].detail === tooLong)
    expect([refused.status, refused.body.errors[0].code, Number(refused.headers['retry-after']) >= 1]).toEqual([
      503,
      'overloaded',
      true,
    ])
    await patient.startJobs()
    await patient.indexes.ready()
    const found = await until(ask, ({ status }) => status === 200)
    expect(found.body.data.map(({ attributes }: Json) => attributes.name)).toEqual(['Company 1318'])
  },
)
