import type { TestApp } from '../harness/app.ts'
import { ask, type ThirdParty } from '../harness/oauth.ts'
import type { Seen } from '../harness/journey.ts'

export const isConsent = ({ url }: Seen) => url.includes('/oauth2/connect/')
export const isSignIn = ({ url }: Seen) => url.includes('/auth/sign-in')
export const answerOf = (address: string) => Object.fromEntries(new URL(address).searchParams)

/** Opens the page on which a member who is signed in is asked. */
export const consentPageOf =
  (app: Pick<TestApp, 'oauth'>) =>
  async (third: ThirdParty, scope = 'openid records:read', parameters?: Readonly<Record<string, string>>) => {
    const visitor = await app.oauth.visitor('member')
    const asked = await ask(third, scope, parameters)
    return { visitor, asked, page: await visitor.open(asked.url) }
  }
