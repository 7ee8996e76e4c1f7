import { errorCodes, errorDefinitions, errorObject, type ErrorCode } from '@kontor/contract'
import { expect, test } from 'vitest'
import { errorSamples } from './error-samples.ts'
import { site } from './site.ts'

const files = await site()

/** The members of an error that the advice for a code speaks of: `meta.allowed`, `source`. */
const membersIn = (code: ErrorCode): string[][] =>
  [...errorDefinitions[code].fix.matchAll(/`((?:meta|source)(?:\.\w+)?)`/g)].map(([, path = '']) => path.split('.'))

const telling = errorCodes.filter((code) => membersIn(code).length > 0)

test.each(telling)('the sample of %s has the members that its advice speaks of', (code) => {
  for (const path of membersIn(code)) expect(errorSamples[code]).toHaveProperty(path)
  expect(files[`errors/${code}.md`]).toContain(JSON.stringify(errorSamples[code]?.detail))
})

test.each(Object.entries(errorSamples))('the sample of %s has the form of an error', (code, sample) => {
  const error = { id: 'x', status: '400', code, title: 'x', ...sample }
  expect(errorObject.strict().parse(error)).toEqual(error)
})
