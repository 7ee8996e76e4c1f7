import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { attachmentsOf } from '../harness/attachments.ts'
import { recordsOf } from '../harness/records.ts'
import { hasSmallDisks, needsSmallDisk, smallDisk } from '../harness/small-disk.ts'

test.skipIf(!hasSmallDisks)(
  `a disk without room is told by 503, and uploads go on once it has${needsSmallDisk}`,
  async () => {
    const disk = smallDisk(1)
    const app = await startApp({ files: { folder: disk.folder, bytesMax: 1024 * 1024 } })
    const files = attachmentsOf(app)
    const person = await recordsOf(app, 'member').create('person', {})
    const [before, other] = [
      await files.begin('person', person.id, 'before.pdf'),
      await files.begin('person', person.id, 'other.pdf'),
    ]
    await files.send(before.signedUrl, '%PDF-1.7')
    disk.fill()
    for (const { signedUrl } of [before, other]) {
      const { status, headers, body } = await files.send(signedUrl, Buffer.alloc(100_000))
      expect([status, headers['retry-after'], body.errors[0].code]).toEqual([503, '5', 'unavailable'])
    }
    disk.free()
    // The files that had arrived before are whole.
    expect((await files.finish('person', person.id, before, 'before.pdf')).status).toBe(201)
    const url = await files.urlOf('person', person.id, before.attachmentId)
    expect((await app.http.send({ method: 'GET', url })).body).toBe('%PDF-1.7')
    expect((await files.send(other.signedUrl, '%PDF-1.7')).status).toBe(200)
  },
)
