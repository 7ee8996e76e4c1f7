import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, inject, test } from 'vitest'

const main = fileURLToPath(new URL('../../packages/server/src/main.ts', import.meta.url))

test.runIf(inject('database') === 'sqlite')(
  'a server that is started with an argument refuses, and names the settings',
  async () => {
    for (const argument of ['--help', '--port=4100'])
      await expect(promisify(execFile)(process.execPath, [main, argument])).rejects.toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/environment variables, as in "PORT=4100 npm start"[\s\S]*serve --help/),
      })
  },
)
