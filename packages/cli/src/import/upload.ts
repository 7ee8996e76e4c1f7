import { open, type FileHandle } from 'node:fs/promises'
import { request as overHttp } from 'node:http'
import { request as overHttps } from 'node:https'
import { pipeline } from 'node:stream/promises'
import { imports } from '@kontor/contract'
import { ConnectionFailed, KontorError } from '@kontor/client'
import { CommandFailed } from '../errors.ts'
import type { Destination } from './destination.ts'

/** Uploads a file for an import; returns the id of the upload. */
export async function uploadFile(destination: Destination, path: string, name: string): Promise<string> {
  await using file = await open(path)
  const { size, isFile } = await file.stat().then((stat) => ({ size: stat.size, isFile: stat.isFile() }))
  if (!isFile) throw new CommandFailed('This is a folder, not a file.')
  const { rest, workspace } = destination
  const body = { name, ...(size > 0 && { size_bytes: size }) }
  return await destination.persist(async () => {
    const { signedUrl, upload_id } = (await rest.call(imports.upload, { workspace, body })).body.data
    await putFile(signedUrl, file, size, destination.persistence.signal)
    return upload_id
  })
}

/** Sends the bytes of a file as they are read. */
async function putFile(url: string, file: FileHandle, size: number, signal: AbortSignal): Promise<void> {
  const headers = { 'Content-Type': 'application/octet-stream', 'Content-Length': size }
  const address = url.split('?', 1)[0] ?? url
  const status = await new Promise<number>((resolve, reject) => {
    const request = (url.startsWith('https:') ? overHttps : overHttp)(url, { method: 'PUT', headers, signal })
    request.once('response', (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    request.once('error', reject)
    pipeline(file.createReadStream({ start: 0, autoClose: false }), request).catch(reject)
  }).catch((error: unknown) => {
    throw signal.aborted ? signal.reason : new ConnectionFailed(address, error)
  })
  if (status < 200 || status > 299) throw new KontorError(`PUT ${address}`, status, [])
}
