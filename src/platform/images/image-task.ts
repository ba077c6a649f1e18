/** Larger images get no thumbnail, and are not decoded: that takes 10 bytes of memory for each pixel. */
export const MAX_PIXELS = 50_000_000;
/** Longer side of a thumbnail. */
export const THUMBNAIL_PIXELS = 480;

/** Exit code of the process when the disk is full or gone. */
export const DISK_FAILED = 74;

export interface ImageTask {
  /** Path of the image. */
  input: string;
  /** Path that the thumbnail is written to, as WebP. */
  thumbnail: string;
  /** Writes the image again without EXIF, XMP, IPTC and comments, if it has any. */
  removeMetadata: boolean;
}

export interface ImageFacts {
  /** As it is shown: after the rotation that its metadata demand. null for a file that is no readable image. */
  width: number | null;
  height: number | null;
  hasThumbnail: boolean;
  /** True if metadata should have been removed, and could not or are not known. */
  keepsMetadata: boolean;
}

export const UNREADABLE: ImageFacts = { width: null, height: null, hasThumbnail: false, keepsMetadata: false };
