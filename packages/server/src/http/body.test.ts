import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { readBytes } from './body.ts'

test.each(['gzip', 'identity'])(
  'a body in %s that was broken off before it is read is waited for no longer',
  async (encoding) => {
    const request = new IncomingMessage(new Socket())
    request.headers['content-encoding'] = encoding
    request.headers['transfer-encoding'] = 'chunked'
    request.destroy()
    await expect(readBytes(request, new ServerResponse(request), 1000)).rejects.toThrow('did not arrive completely')
  },
)
