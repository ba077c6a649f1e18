import {
  Column,
  CreateDateColumn,
  Entity,
  ManyToOne,
  PrimaryGeneratedColumn,
  JoinColumn,
  type Relation,
} from 'typeorm';

@Entity('conversation')
export class Conversation {
  @PrimaryGeneratedColumn('uuid')
  id!: string;

  @Column('bigint', { name: 'last_seq' })
  lastSeq!: string;

  @Column('timestamptz', { name: 'last_activity_at' })
  lastActivityAt!: Date;
}

@Entity('message')
export class Message {
  @PrimaryGeneratedColumn('uuid')
  id!: string;

  @ManyToOne(() => Conversation)
  @JoinColumn({ name: 'conversation_id' })
  conversation!: Relation<Conversation>;

  @Column('bigint')
  seq!: string;

  @Column('text', { name: 'sender_type' })
  senderType!: string;

  @Column('uuid', { name: 'sender_id' })
  senderId!: string;

  @Column('text')
  content!: string;

  @CreateDateColumn({ type: 'timestamptz', name: 'created_at' })
  createdAt!: Date;
}
