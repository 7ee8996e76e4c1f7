import { createRestClient, uploadAttachment } from '@kontor/client'
import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { attachmentsOf } from '../harness/attachments.ts'
import { recordsOf } from '../harness/records.ts'
import { cut, proxyBefore, refuse } from './cut-uploads.ts'

const proxy = await proxyBefore()
const app = await startApp({ baseUrl: `${proxy.origin}/v1` })
proxy.forwardTo(app.origin)
const rest = createRestClient({ url: app.baseUrl, apiKey: app.credentials.keys.adminKey! })
const records = recordsOf(app)

/** Attaches a file to a new person: the progress, and how to read what was stored. */
async function attach(file: Blob) {
  const { id } = await records.create('person', { name: { first_name: 'Ada' } })
  const progress: (readonly [number, number])[] = []
  const onProgress = (...sent: [number, number]): void => void progress.push(sent)
  const record = { workspace: 'acme', object: 'person', id }
  const attaching = uploadAttachment(rest, record, file, { name: 'offer.txt', onProgress })
  const stored = async (): Promise<ArrayBuffer> => {
    const url = await attachmentsOf(app, 'admin').urlOf('person', id, (await attaching)._id)
    return (await fetch(url)).arrayBuffer()
  }
  return { attaching, progress, stored }
}

test('an upload that breaks off begins again, and its progress ends once, at the whole file', async () => {
  const bytes = new Uint8Array(500_000).fill(7)
  proxy.meet(cut, refuse(503))
  const { attaching, progress, stored } = await attach(new Blob([bytes]))
  await attaching
  expect(proxy.uploads()).toBe(3)
  expect(progress).toEqual([[500_000, 500_000]])
  expect(Buffer.from(await stored()).equals(bytes)).toBe(true)
})

test('an upload that the storage refuses is not sent again, and never reports the whole file', async () => {
  proxy.meet(refuse(403))
  const { attaching, progress } = await attach(new Blob(['x']))
  await expect(attaching).rejects.toMatchObject({ name: 'KontorError', status: 403 })
  expect([proxy.uploads(), progress]).toEqual([1, []])
})
