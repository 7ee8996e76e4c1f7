import { Provider } from 'oidc-provider'
import { expect, test } from 'vitest'
import { grantPayload } from './provider.ts'
import { isRotated } from './rotation.ts'

const provider = new Provider('https://kontor.example')

test('oidc-provider still lists what a grant stores, so that its workspace can be added', () => {
  expect(grantPayload(provider)).toContain('accountId')
  expect(() => grantPayload({ Grant: Object as unknown as Provider['Grant'] })).toThrow('lists the members')
})

test('oidc-provider still uses up and names refresh tokens by methods that can be replaced', () => {
  expect(isRotated(provider.RefreshToken.prototype)).toBe(true)
  expect(isRotated({ consume: () => undefined })).toBe(false)
})

test('oidc-provider still compares the secret of an app by a method that can be replaced', () => {
  expect(Object.getOwnPropertyNames(provider.Client.prototype)).toContain('compareClientSecret')
})
