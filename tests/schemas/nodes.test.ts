import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { recordsOf } from '../harness/records.ts'
import { schemasOf } from '../harness/schemas.ts'

const here = await startApp()
const there = await startApp({ beside: { databaseUrl: here.databaseUrl, credentials: here.credentials } })
const { make } = schemasOf(here)

test('what one app makes, another one knows when it is asked', async () => {
  const far = recordsOf(there)
  await far.list('person')
  const first = await make({ code: { type: 'string', xSvcUnique: true } })
  expect((await far.list(first)).status).toBe(200)
  const second = await make({ code: { type: 'string', maxLength: 3 } })
  expect((await far.post(second, { code: 'abc' })).status).toBe(201)
  expect((await far.list(second, { 'filter[code]': 'abc' })).body.data).toHaveLength(1)
})

const write = (app: typeof here, number: number) => recordsOf(app).post('person', { job_title: `Writer ${number}` })

test('records are written while objects are made, through the same app and through another', async () => {
  const work = Array.from({ length: 40 }, (_, number) =>
    number % 8 === 0
      ? make().then(() => 201)
      : write(number % 2 === 0 ? here : there, number).then(({ status }) => status),
  )
  expect([...new Set(await Promise.all(work))]).toEqual([201])
})
