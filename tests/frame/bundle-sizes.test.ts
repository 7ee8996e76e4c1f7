import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { expect, test } from 'vitest'

const client = fileURLToPath(new URL('../../packages/client/src', import.meta.url))

/** A module with all that it imports, as a page loads it. */
async function bundled(module: string): Promise<string> {
  const bundle = await rolldown({ input: `${client}/${module}`, platform: 'browser' })
  const { output } = await bundle.generate({ format: 'esm', minify: true, codeSplitting: false })
  return output[0].code
}

// Measured when this was written: 3,014, 7,694 and 7,618 bytes.
test.each([
  ['objects.ts', 4_096],
  ['trpc.ts', 10_240],
  ['browser/session.ts', 10_240],
])('a page loads %s in at most %i bytes, with what it imports, and without the schemas', async (module, bytesMax) => {
  const code = await bundled(module)
  expect(gzipSync(code).length).toBeLessThanOrEqual(bytesMax)
  expect(code).not.toMatch(/ZodError|\$ZodType|invalid_union/)
})
