export { MailFailure, messageIdOf, sendingMax, smtpMailer, type Mailer, type MailSettings } from './mailer.ts'
