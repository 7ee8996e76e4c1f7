import { simpleParser } from 'mailparser'
import { describe, expect, inject, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { mailServer } from '../harness/mail.ts'
import { recordsOf } from '../harness/records.ts'
import { startServer } from '../harness/server-process.ts'

const key = 'a key of at least thirty-two characters'
const count = 120
const as = 'adminKey'
const path = '/workspaces/acme/campaigns'
const send = { plugin_id: 'svc:send:email', input: { subject: 'Hello', text: 'Hello.' } }
const patience = { timeout: 90_000, interval: 250 }

/** The zone in which it is about noon: no test comes near the end of a day. */
function noonZone(now: number): string {
  const hours = 12 - new Date(now).getUTCHours()
  return hours === 0 ? 'UTC' : `Etc/GMT${hours > 0 ? '-' : '+'}${Math.abs(hours)}`
}

describe.runIf(inject('database') === 'postgres')('a campaign of three servers on one database', () => {
  test(
    'keeps its cap, and writes to each reader once unless a server dies in between',
    { timeout: 240_000 },
    async () => {
      const mail = await mailServer()
      const from = 'Acme <hello@acme.example>'
      const app = await startApp({ encryptionKeys: [key], mail: { smtpUrl: mail.url, from } })
      const settings = { ENCRYPTION_KEYS: key, SMTP_URL: mail.url, MAIL_FROM: from }
      const servers = await Promise.all([1, 2].map(() => startServer(app.databaseUrl, settings)))
      const zone = { key: 'time_zone', value: noonZone(app.now()) }
      expect(await app.api.post('/workspaces/acme/settings', { as, body: zone })).toMatchObject({ status: 201 })
      const people = await recordsOf(app, as).createMany(
        'person',
        Array.from({ length: count }, (_, index) => ({ email_addresses: { items: [`reader-${index}@example.com`] } })),
      )

      const begin = async (sending: Json): Promise<string> => {
        const { body } = await app.api.post(path, { as, body: { name: 'Spring', blocks: { send }, sending } })
        const one = `${path}/${body.data.id}`
        await app.api.post(`${one}/start`, { as })
        const items = people.map(({ id }) => id)
        expect(await app.api.post(`${one}/recipients`, { as, body: { items } })).toMatchObject({ status: 200 })
        return one
      }
      const states = async (one: string): Promise<Json> => {
        const { data } = (await app.api.get(`${one}/recipients`, { as })).body
        return Object.fromEntries(
          Object.entries(Object.groupBy(data, ({ attributes }: Json) => attributes.status)).map(([status, rows]) => [
            status,
            rows?.length,
          ]),
        )
      }

      const cap = 50
      const capped = await begin({ daily_cap: cap })
      await expect.poll(() => states(capped), patience).toEqual({ success: cap, waiting: count - cap })
      expect(new Set(mail.waiting.map(({ to }) => to[0])).size).toBe(cap)
      expect(mail.waiting.splice(0)).toHaveLength(cap)

      const whole = await begin({})
      await expect.poll(() => mail.waiting.length, patience).toBeGreaterThan(count / 10)
      await servers[0]?.kill()
      await expect.poll(() => states(whole), patience).toEqual({ success: count })
      const letters = await Promise.all(
        mail.waiting.map(async ({ to, raw }) => `${to[0]} ${(await simpleParser(raw)).messageId}`),
      )
      // The letters that the dead server had sent and not yet stored went once more, as the same letters.
      expect(new Set(letters).size).toBe(count)
      expect(new Set(letters.map((letter) => letter.split(' ')[0])).size).toBe(count)
      expect(await servers[1]?.terminate()).toBe(0)
    },
  )
})
