! SPDX-License-Identifier: Apache-2.0
! a += b with maps in Fortran, and what becomes of an array without one.
!
! Two arrays, mapped: copies on the device.
! hipgrain-run: arraysum1
! hipgrain-stdout: arraysum1: 0 wrong
! hipgrain-expect: none
!
! b has no map clause: it is mapped tofrom, and comes back as it went.
! hipgrain-run: implicit
! hipgrain-stdout: implicit: 0 wrong
! hipgrain-expect: HG804 api=malloc at=@arrays confidence=likely

program arraysum
  implicit none
  integer, parameter :: n = 2048
  real(8), allocatable :: a(:), b(:)
  character(len=32) :: variant

  call get_command_argument(1, variant)
  allocate (a(n), b(n)) ! @arrays
  a = 0
  b = 1
  select case (variant)
  case ('arraysum1')
    call add(a, b)
  case ('implicit')
    call add_implicit(a, b)
  case default
    stop 2
  end select
  print '(2a, i0, a)', trim(variant), ': ', count(abs(a - 1) > 0), ' wrong'
contains
  subroutine add(a, b)
    real(8), intent(inout) :: a(n)
    real(8), intent(in) :: b(n)
    integer :: i

    !$omp target map(tofrom: a) map(to: b)
    do i = 1, n
      a(i) = a(i) + b(i)
    end do
    !$omp end target
  end subroutine add

  subroutine add_implicit(a, b)
    real(8), intent(inout) :: a(n)
    real(8), intent(in) :: b(n)
    integer :: i

    !$omp target map(tofrom: a)
    do i = 1, n
      a(i) = a(i) + b(i)
    end do
    !$omp end target
  end subroutine add_implicit
end program arraysum
