import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { isSignedWith, receiver } from '../harness/receiver.ts'
import { until } from '../harness/until.ts'
import { webhooksOf, webhooksPath } from '../harness/webhooks.ts'

const [oldKey, newKey] = ['the key of the first year, thirty-two long', 'the key of the second year, as long as that']

const app = await startApp({ encryptionKeys: [oldKey] })
const beside = { databaseUrl: app.databaseUrl, credentials: app.credentials }

test('a new key to encrypt with takes over the secrets of webhooks, and the old one can be taken away', async () => {
  const there = await receiver()
  const { _id, secret } = await webhooksOf(app).create({ url: there.url })
  const isOurs = (line: string) => line.startsWith('webhook ') && line.includes(_id)
  const stored = async () => (await app.rows(await app.workspaceId('acme'))).find(isOurs)
  const before = await stored()

  const rotating = await startApp({ encryptionKeys: [newKey, oldKey], beside })
  await rotating.startJobs()
  await until(async () => (await stored()) !== before)

  // Encrypted with the old key, the secret that signs for another day could not be read here.
  const after = await startApp({ encryptionKeys: [newKey], beside })
  const rotated = await after.api.post(`${webhooksPath}/${_id}/rotate-secret`)
  expect(rotated.status).toBe(200)
  await webhooksOf(after).test(_id)
  const got = await there.next()
  expect(isSignedWith(got, secret)).toBe(true)
  expect(isSignedWith(got, rotated.body.data.attributes.secret)).toBe(true)
})
