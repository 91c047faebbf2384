! SPDX-License-Identifier: Apache-2.0
! The cases of arraysum_shared.c in Fortran. flang 19 has no distribute parallel do for GPUs: regions are serial.
!
! Two arrays, no map.
! hipgrain-run: arraysum2
! hipgrain-env: HSA_XNACK=1 MALLOC_MMAP_THRESHOLD_=131072
! hipgrain-stdout: arraysum2: 0 wrong
! hipgrain-expect: none
!
! Without XNACK the GPU cannot reach the pages.
! hipgrain-run: arraysum2
! hipgrain-env: HSA_XNACK=0
! hipgrain-exit: any
! hipgrain-expect: HG806 confidence=proven
!
! Both mapped: nothing is copied, the pages become coarse-grained.
! hipgrain-run: arraysum3
! hipgrain-env: HSA_XNACK=1 MALLOC_MMAP_THRESHOLD_=131072
! hipgrain-stdout: arraysum3: 0 wrong
! hipgrain-expect: none
!
! The first region maps, the second does not.
! hipgrain-run: arraysum_scope
! hipgrain-env: HSA_XNACK=1 MALLOC_MMAP_THRESHOLD_=131072
! hipgrain-stdout: arraysum_scope: sum 2048 expected 2048
! hipgrain-expect: none
!
! The map is in a subroutine that was called before.
! hipgrain-run: arraysum4
! hipgrain-env: HSA_XNACK=1 MALLOC_MMAP_THRESHOLD_=131072
! hipgrain-stdout: arraysum4: sum 2048 expected 2048
! hipgrain-expect: none
!
! Hardware atomics on a result that nothing mapped: lost.
! hipgrain-run: arraysum8
! hipgrain-env: HSA_XNACK=1 MALLOC_MMAP_THRESHOLD_=131072
! hipgrain-stdout: arraysum8: sum 0 expected 2048
! hipgrain-expect: HG801 at=@arrays confidence=proven
!
! The same, mapped: right.
! hipgrain-run: arraysum9
! hipgrain-env: HSA_XNACK=1 MALLOC_MMAP_THRESHOLD_=131072
! hipgrain-stdout: arraysum9: sum 2048 expected 2048
! hipgrain-expect: none
!
! A compare-and-swap loop: right, and slow.
! hipgrain-run: arraysum10
! hipgrain-env: HSA_XNACK=1 MALLOC_MMAP_THRESHOLD_=131072
! hipgrain-stdout: arraysum10: sum 2048 expected 2048
! hipgrain-expect: HG106 at=@arrays confidence=proven
!
! As 8, 9 and 10 with an element of an array.
! hipgrain-run: arrays5
! hipgrain-env: HSA_XNACK=1 MALLOC_MMAP_THRESHOLD_=131072
! hipgrain-stdout: arrays5: sum 0 expected 2048
! hipgrain-expect: HG801 at=@arrays confidence=proven
!
! hipgrain-run: arrays6
! hipgrain-env: HSA_XNACK=1 MALLOC_MMAP_THRESHOLD_=131072
! hipgrain-stdout: arrays6: sum 2048 expected 2048
! hipgrain-expect: none
!
! hipgrain-run: arrays7
! hipgrain-env: HSA_XNACK=1 MALLOC_MMAP_THRESHOLD_=131072
! hipgrain-stdout: arrays7: sum 2048 expected 2048
! hipgrain-expect: HG106 at=@arrays confidence=proven

program arraysum
  implicit none
  !$omp requires unified_shared_memory
  ! Of more than 128 KiB (MALLOC_MMAP_THRESHOLD_): no other block lies on the same pages.
  integer, parameter :: n = 32768, m = 2048

  interface
    subroutine add_fast(target, value) bind(c)
      real(8), intent(inout) :: target
      real(8), intent(in) :: value
    end subroutine add_fast
    subroutine map_like_amd(memory, size) bind(c)
      real(8), intent(inout) :: memory(*)
      integer(8), intent(in) :: size
    end subroutine map_like_amd
  end interface
  real(8), allocatable :: a(:), b(:), result(:)
  character(len=32) :: variant

  call get_command_argument(1, variant)
  allocate (a(n), b(n), result(n)) ! @arrays
  a = 0
  b = 1
  result = 0
  select case (variant)
  case ('arraysum2')
    call add(a, b)
  case ('arraysum3')
    call make_coarse(a)
    call make_coarse(b)
    call add_mapped(a, b)
  case ('arraysum_scope')
    call make_coarse(a)
    call clear_mapped(a)
    call fast_element(a, b)
  case ('arraysum4')
    call prepare(a)
    call fast_element(a, b)
  case ('arraysum8')
    call fast(result, b)
  case ('arraysum9')
    call make_coarse(b)
    call make_coarse(result)
    call fast(result, b)
  case ('arraysum10')
    call safe(result, b)
  case ('arrays5')
    call fast_element(a, b)
  case ('arrays6')
    call make_coarse(a)
    call fast_element(a, b)
  case ('arrays7')
    call safe_element(a, b)
  case default
    stop 2
  end select
  if (variant == 'arraysum2' .or. variant == 'arraysum3') then
    print '(2a, i0, a)', trim(variant), ': ', count(abs(a(1:m) - 1) > 0), ' wrong'
  else
    print '(2a, i0, a, i0)', trim(variant), ': sum ', nint(a(2) + result(1)), ' expected ', m
  end if
contains
  ! What AMD's runtime does for a map; only a runtime that has started can.
  subroutine make_coarse(a)
    real(8), intent(inout) :: a(n)

    !$omp target
    !$omp end target
    call map_like_amd(a, 8_8 * n)
  end subroutine make_coarse

  subroutine add(a, b)
    real(8), intent(inout) :: a(n)
    real(8), intent(in) :: b(n)
    integer :: i

    !$omp target
    do i = 1, m
      a(i) = a(i) + b(i)
    end do
    !$omp end target
  end subroutine add

  subroutine add_mapped(a, b)
    real(8), intent(inout) :: a(n)
    real(8), intent(in) :: b(n)
    integer :: i

    !$omp target map(tofrom: a) map(to: b)
    do i = 1, m
      a(i) = a(i) + b(i)
    end do
    !$omp end target
  end subroutine add_mapped

  subroutine clear_mapped(a)
    real(8), intent(inout) :: a(n)
    integer :: i

    !$omp target map(tofrom: a)
    do i = 1, m
      a(i) = 0
    end do
    !$omp end target
  end subroutine clear_mapped

  subroutine fast(result, b)
    real(8), intent(inout) :: result(n)
    real(8), intent(in) :: b(n)
    integer :: i

    !$omp target
    do i = 1, m
      call add_fast(result(1), b(i))
    end do
    !$omp end target
  end subroutine fast

  subroutine safe(result, b)
    real(8), intent(inout) :: result(n)
    real(8), intent(in) :: b(n)
    integer :: i

    !$omp target
    do i = 1, m
      !$omp atomic
      result(1) = result(1) + b(i)
    end do
    !$omp end target
  end subroutine safe

  subroutine fast_element(a, b)
    real(8), intent(inout) :: a(n)
    real(8), intent(in) :: b(n)
    integer :: i

    !$omp target
    do i = 1, m
      call add_fast(a(2), b(i))
    end do
    !$omp end target
  end subroutine fast_element

  subroutine safe_element(a, b)
    real(8), intent(inout) :: a(n)
    real(8), intent(in) :: b(n)
    integer :: i

    !$omp target
    do i = 1, m
      !$omp atomic
      a(2) = a(2) + b(i)
    end do
    !$omp end target
  end subroutine safe_element

  subroutine prepare(a)
    real(8), intent(inout) :: a(n)

    call make_coarse(a)
    call clear_mapped(a)
  end subroutine prepare
end program arraysum
