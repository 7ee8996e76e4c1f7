import type { ArrivalQuery } from '../../kernel/implement.ts'
import { isList, isString, memberOf } from '../../lib/guards.ts'

/** Tells whether what was given is the secret of a workflow. */
type IsSecret = (given: unknown) => boolean

/** A service with ways of its own to check an address before it sends there, and to say that it is the sender. */
export type Sender = {
  /** The text that answers a check by GET; undefined where it is none. */
  readonly textFor: (query: ArrivalQuery) => string | undefined
  /** Returns whether a check by GET presents the secret; one that has no place for it presents none. */
  readonly checksSecret?: (query: ArrivalQuery, isSecret: IsSecret) => boolean
  /** The answer to a check that comes as a message; undefined of any other message. */
  readonly answerTo: (body: unknown) => { readonly challenge: string } | undefined
  /** Returns whether a message presents the secret where the service has a place for it. */
  readonly presents: (body: unknown, isSecret: IsSecret) => boolean
}

const noAnswer = (): undefined => undefined

/** `handshake` of the trigger, by name. */
export const senders = {
  /** https://docs.slack.dev/apis/events-api: `url_verification`; a message has the verification token of the app. */
  slack: {
    textFor: noAnswer,
    answerTo: (body) => {
      const challenge = memberOf(body, 'challenge')
      return memberOf(body, 'type') === 'url_verification' && isString(challenge) ? { challenge } : undefined
    },
    presents: (body, isSecret) => isSecret(memberOf(body, 'token')),
  },
  /** https://learn.microsoft.com/graph/change-notifications-delivery-webhooks: checks by `validationToken`. */
  graph: {
    textFor: ({ validationToken }) => (isString(validationToken) ? validationToken : undefined),
    answerTo: noAnswer,
    presents: (body, isSecret) => {
      const notifications = memberOf(body, 'value')
      return (
        isList(notifications) &&
        notifications.length > 0 &&
        notifications.every((one) => isSecret(memberOf(one, 'clientState')))
      )
    },
  },
  /**
   * https://developers.facebook.com/docs/graph-api/webhooks/getting-started: checks by GET with the verify token. Its
   * messages are signed with the secret of the app, and have no place for ours.
   */
  meta: {
    textFor: (query) => {
      const challenge = query['hub.challenge']
      return query['hub.mode'] === 'subscribe' && isString(challenge) ? challenge : undefined
    },
    checksSecret: (query, isSecret) => isSecret(query['hub.verify_token']),
    answerTo: noAnswer,
    presents: () => true,
  },
} satisfies Readonly<Record<string, Sender>>
